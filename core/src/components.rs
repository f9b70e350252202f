//! The strongly connected components of a graph: the largest sets of nodes that all reach each other.

/// Returns the components of several nodes: Tarjan's algorithm, iterative because graphs may be deep.
pub fn strong_components(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNVISITED: usize = usize::MAX;
    let mut order = vec![UNVISITED; successors.len()];
    let mut lowest = vec![0; successors.len()]; // the lowest order of a node on the stack that a node is known to reach
    let mut on_stack = vec![false; successors.len()];
    let (mut stack, mut components, mut visited) = (Vec::new(), Vec::new(), 0);
    for root in 0..successors.len() {
        let mut path = if order[root] == UNVISITED { vec![(root, 0)] } else { Vec::new() };
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if *next == 0 {
                (order[node], lowest[node], on_stack[node]) = (visited, visited, true);
                visited += 1;
                stack.push(node);
            }
            if let Some(&inner) = successors[node].get(*next) {
                *next += 1;
                if order[inner] == UNVISITED {
                    path.push((inner, 0));
                } else if on_stack[inner] {
                    lowest[node] = lowest[node].min(order[inner]);
                }
                continue;
            }
            path.pop();
            if let Some(&(outer, _)) = path.last() {
                lowest[outer] = lowest[outer].min(lowest[node]);
            }
            if lowest[node] == order[node] {
                let start = stack.iter().rposition(|other| *other == node).unwrap_or(0);
                let component = stack.split_off(start);
                for &member in &component {
                    on_stack[member] = false;
                }
                if component.len() > 1 {
                    components.push(component);
                }
            }
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::strong_components;

    #[test]
    fn nodes_that_reach_each_other_are_a_component() {
        let successors = [vec![1], vec![2, 3], vec![0], vec![3], vec![3, 5], vec![4]];
        let mut components = strong_components(&successors);
        for component in &mut components {
            component.sort_unstable();
        }
        assert_eq!(components, [vec![0, 1, 2], vec![4, 5]]);
    }
}
