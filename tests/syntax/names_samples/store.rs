use a::b::{C as D, self, e::*, f::G};
pub use crate::x::Y;
use std::io;
use z as _;
use lone;
use super::*;
mod m;
pub(crate) mod n { fn q() {} }
extern crate serde as s;
/// Doc
#[derive(Debug, Clone)]
#[serde(rename = "x")]
pub struct P<T: Tr> { pub a: T, b: u8 }
enum E { V1, V2(u8) }
impl<T> Tr for P<T> { fn go(&mut self, x: &'a str, (y, z): (u8, u8)) -> Vec<T> { let v = vec![x, foo(1)]; let Q { a, b: c } = v; for i in 0..n {} match v { Some(k) => 1, _ => 2 }; self.a.run::<T>(); Vec::<T>::new(); println!("{v} {}", x); return 1; foo(); } }
trait Sub: Super + 'static { type Item; const N: u8; }
fn main() { let dead = 1; if let Some(w) = opt {} let c = |a, b| a + b; P { a: 1, b }; 'l: loop { break 'l; } panic!("x"); 1 }
macro_rules! mac { ($x:expr) => { foo($x) }; }
pub fn gen<T>(t: T) where T: Bound {}
