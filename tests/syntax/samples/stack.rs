//! A stack.

pub const LIMIT: usize = 10;

#[derive(Debug)]
pub struct Stack<T> {
    items: Vec<T>,
}

pub enum Order {
    First,
    Last(u8),
}

pub trait Holder {
    fn hold(&self);
    fn holds(&self) -> bool {
        true
    }
}

impl<T> Stack<T> {
    /// Takes the last.
    pub fn take(&mut self) -> Option<T> {
        if self.items.is_empty() && LIMIT > 0 || false { // if, &&, ||
            return None;
        }
        while let Some(one) = self.items.pop() { // while
            for _ in 0..3 {} // for
        }
        loop {
            break;
        }
        let Some(last) = self.last() else { return None }; // let else
        match last {
            1 | 2 if true => None, // arm
            3 => None, // arm
            _ => None,
        }
    }
}

impl<T> Holder for Stack<T> {
    fn hold(&self) {
        let check = |n: usize| n > 0 && n < LIMIT; // &&, of the closure
        check(1);
    }
}

impl std::fmt::Display for Stack<u8> {
    fn fmt(&self) {}
}

mod tests {
    macro_rules! twice { ($e:expr) => { $e + $e }; }
    #[test]
    fn works() {}
}
