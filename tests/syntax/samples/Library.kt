package example

import kotlin.math.max

typealias Names = List<String>

const val LIMIT = 10

class Library(val size: Int) : Base() {
    val shelves = 3
    private var lit: Boolean = false

    constructor(name: String) : this(name.length) {
        lit = true
    }

    fun find(name: String?): Int {
        if (name == null || lit && size > LIMIT) { // if, ||, &&
            return 0
        }
        for (one in shelves) { // for
            while (lit) { } // while
        }
        val kind = when (size) {
            1, 2 -> "few" // entry
            in 3..9 -> "some" // entry
            else -> "many"
        }
        try {
            run()
        } catch (problem: Exception) { // catch
            return 1
        }
        val shorten = { text: String -> text.take(LIMIT) ?: "" } // ?:, of the lambda
        return name.length
    }

    companion object {
        fun create() = Library(1)
    }
}

fun String.shorten(length: Int): String = take(max(length, LIMIT))

fun <T> List<T>.second(): T = this[1]

interface Reader {
    fun read()
}

object Registry {
    fun register() {}
}

enum class Colour { RED, GREEN }
