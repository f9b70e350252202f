impl<T: Clone> Stack<T> where T: Debug {
    pub async fn push(&mut self, a: T, b: Vec<(i32, String)>) -> Result<(), E> { if a && b || c { } else if let Some(x) = y { } else { } Ok(()) }
    const fn new() -> Self { Self::new() }
}
trait Shape { fn area(&self) -> f64; fn twice(&self) -> f64 { if a { 1.0 } else { 2.0 } } }
macro_rules! mine { ($x:expr) => { if $x { } else { } }; }
fn outer() { fn inner() { if a { } } let c = |x: i32| { if x > 1 { } }; xs.iter().map(|x| if x { 1 } else { 2 }); 'a: loop { while b { break 'a; } } }
fn matching(x: Option<i32>) -> i32 { match x { Some(n) if n > 1 && m => 1, Some(_) | None => if a { 2 } else { 3 } } }
fn rec(n: u32) -> u32 { if n == 0 { 1 } else { n * rec(n - 1) } }
fn lets() { let Some(x) = y else { return }; println!("{}", if a { 1 } else { 2 }); vec![1, 2].iter(); }
mod tests { #[test] fn case() { for x in y { if let Some(z) = x && w { } } } }
