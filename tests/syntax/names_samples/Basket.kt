package com.acme
import a.b.C
import a.b.D as E
import a.b.*
@Service("x")
open class Cart<T>(private val limit: Int, name: String = "x") : Base<T>(limit), IFoo {
  @Inject lateinit var repo: Repo
  private val secret = 1
  override fun run(p: Int, vararg rest: String): Foo? {
    val dead = 1
    val (a, b) = pair()
    for (item in items) { return@loop }
    val s = "text $a ${b.c} end"
    repo.save(named = 2)?.also { it.x() }
    items.map { i -> i.y }
    when (x) { is Foo -> 1; else -> 2 }
    try { } catch (e: Exception) { throw e }
    return null
    after()
  }
  companion object { fun make() = Cart(1) }
}
fun main(args: Array<String>) { exitProcess(1); dead() }
internal fun String.ext() = this.length
typealias X = Map<String, Int>
