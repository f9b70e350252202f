"""Scripted edits in many languages, each with the place a reader would give."""

from __future__ import annotations

import pytest

from tests.comments.tracking.edits import tracked

EDITS: dict[str, tuple[str, str, str]] = {
    "python: an argument is added": (
        "a.py",
        """
        def load(path):
            data = read(path) «read»
            return parse(data) «parse»
        """,
        """
        def load(path, strict=False):
            data = read(path, encoding="utf-8") «read»
            check(data)
            return parse(data, strict=strict) «parse»
        """,
    ),
    "python: a statement is broken over lines": (
        "a.py",
        """
        result = combine(first_value, second_value, third_value) «call»
        print(result)
        """,
        """
        result = combine( «call»
            first_value,
            second_value,
            third_value,
        )
        print(result)
        """,
    ),
    "c: a call gets an argument and is broken over lines": (
        "a.c",
        """
        void release(struct commit *commit)
        {
            if (!commit->reflog) {
                free_buffer(commit); «free»
                free_list(commit->parents);
            }
        }
        """,
        """
        void release(struct commit *commit)
        {
            if (!commit->reflog) {
                free_buffer(the_repository->parsed_objects, «free»
                            commit);
                free_list(commit->parents);
            }
        }
        """,
    ),
    "python: a broken statement is drawn together": (
        "a.py",
        """
        result = combine( «call»
            first_value,
            second_value,
        )
        print(result) «print»
        """,
        """
        result = combine(first_value, second_value) «call»
        print(result) «print»
        """,
    ),
    "python: methods change places": (
        "a.py",
        """
        class Store:
            def open(self):
                self.handle = connect(self.address, timeout=3) «open»
                return self.handle

            def close(self):
                self.handle.flush() «close»
                self.handle.shutdown(wait=True)
        """,
        """
        class Store:
            def close(self):
                self.handle.flush() «close»
                self.handle.shutdown(wait=True)

            def open(self):
                self.handle = connect(self.address, timeout=3) «open»
                return self.handle
        """,
    ),
    "javascript: a function becomes an arrow": (
        "a.js",
        """
        app.get('/users', function (req, res) { «route»
          const users = database.all('users'); «query»
          res.send(users);
        });
        """,
        """
        app.get('/users', async (req, res) => { «route»
          const users = await database.all('users'); «query»
          res.send(users);
        });
        """,
    ),
    "typescript: a block is wrapped": (
        "a.ts",
        """
        export function save(user: User): void {
          validate(user); «validate»
          store.write(user.id, serialize(user)); «write»
        }
        """,
        """
        export function save(user: User): boolean {
          if (store.ready) {
            validate(user); «validate»
            store.write(user.id, serialize(user)); «write»
            return true;
          }
          return false;
        }
        """,
    ),
    "java: look-alike lines keep their order": (
        "A.java",
        """
        class A {
            void fill(Row row) {
                row.set(0, name.trim()); «zero»
                row.set(1, city.trim()); «one»
                row.set(2, land.trim()); «two»
            }
        }
        """,
        """
        class A {
            void fill(Row row) {
                row.set(0, id);
                row.set(1, name.strip()); «zero»
                row.set(2, city.strip()); «one»
                row.set(3, land.strip()); «two»
            }
        }
        """,
    ),
    "go: an error is wrapped": (
        "a.go",
        """
        package a

        func Load(path string) (*Config, error) {
            data, err := os.ReadFile(path) «read»
            if err != nil {
                return nil, err «error»
            }
            return parse(data)
        }
        """,
        """
        package a

        func Load(path string) (*Config, error) {
            path = filepath.Clean(path)
            data, err := os.ReadFile(path) «read»
            if err != nil {
                return nil, fmt.Errorf("load: %w", err) «error»
            }
            return parse(data)
        }
        """,
    ),
    "rust: a method is renamed": (
        "a.rs",
        """
        impl Queue {
            pub fn take(&mut self) -> Option<Job> { «head»
                let job = self.jobs.pop_front()?; «pop»
                self.count -= 1;
                Some(job)
            }
        }
        """,
        """
        impl Queue {
            pub fn len(&self) -> usize {
                self.count
            }

            pub fn take_next(&mut self) -> Option<Job> { «head»
                let job = self.jobs.pop_front()?; «pop»
                self.count -= 1;
                Some(job)
            }
        }
        """,
    ),
    "c: braces go to their own line": (
        "a.c",
        """
        int main(void) { «main»
            for (int i = 0; i < limit; i++) { «loop»
                total += values[i]; «sum»
            }
            return total;
        }
        """,
        """
        int main(void) «main»
        {
            for (int i = 0; i < limit; i++) «loop»
            {
                total += values[i]; «sum»
            }
            return total;
        }
        """,
    ),
    "ruby: a body is indented into a module": (
        "a.rb",
        """
        def deliver(mail)
          queue.push(mail.to_h) «push»
          logger.info("queued #{mail.id}") «log»
        end
        """,
        """
        module Delivery
          def deliver(mail)
            queue.push(mail.to_h) «push»
            logger.info("queued #{mail.id}") «log»
          end
        end
        """,
    ),
    "bash: a variable is renamed": (
        "a.sh",
        """
        target="$1"
        for file in "$target"/*.log; do «loop»
          gzip --best "$file" «zip»
        done
        """,
        """
        directory="$1"
        for file in "$directory"/*.log; do «loop»
          gzip --best --keep "$file" «zip»
        done
        """,
    ),
    "no grammar: lines alone": (
        "notes.txt",
        """
        Buy bread and butter on the way home «bread»
        Call the plumber about the sink «plumber»
        """,
        """
        Water the plants
        Buy bread, butter and milk on the way home «bread»
        Call the plumber about the kitchen sink «plumber»
        """,
    ),
    "a parse that fails: lines alone": (
        "a.py",
        """
        def broken(((:
            value = compute(alpha, beta) «value»
        """,
        """
        # above
        def broken((((:
            value = compute(alpha, beta, gamma) «value»
        """,
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_lines_are_where_a_reader_would_look(name: str):
    path, old, new = EDITS[name]
    placed, goals = tracked(path, old, new)
    assert {mark: placement.line for mark, placement in placed.items()} == goals


@pytest.mark.parametrize("name", EDITS)
def test_undoing_an_edit_brings_the_lines_back(name: str):
    path, old, new = EDITS[name]
    placed, goals = tracked(path, new, old)
    assert {mark: placement.line for mark, placement in placed.items()} == goals


def test_comment_only_and_brace_lines_follow_what_they_belong_to():
    placed, goals = tracked(
        "a.go",
        """
        package a

        // Load reads the configuration. «comment»
        func Load() {
            if ready {
                start()
            } «brace»
            stop()
        }
        """,
        """
        package a

        func Before() {
            if ready {
                begin()
            }
        }

        // Load reads the configuration of the program. «comment»
        func Load() {
            prepare()
            if ready {
                start()
            } «brace»
            stop()
        }
        """,
    )
    assert {mark: placement.line for mark, placement in placed.items()} == goals


def test_a_function_put_before_a_like_one_does_not_take_its_first_line():
    placed, goals = tracked(
        "LoadTest.java",
        """
        class LoadTest {
            @Test «first»
            void loadsSettings() {
                check(load("settings"));
            }

            @Test «second»
            void loadsNothing() {
                check(load("nothing"));
            }
        }
        """,
        """
        class LoadTest {
            @Test «first»
            void loadsSettings() {
                check(load("settings"));
            }

            @Test
            void loadsUsers() {
                check(load("users"));
            }

            @Test «second»
            void loadsNothing() {
                check(load("nothing"));
            }
        }
        """,
    )
    assert {mark: placement.line for mark, placement in placed.items()} == goals


def test_two_conditions_drawn_into_one_take_both_notes():
    placed, goals = tracked(
        "Reader.java",
        """
        class Reader {
            void read(char[] chars, int position) {
                if (quoteLength > 0) { «outer»
                    if (isQuote(chars, position, quoteLength)) {
                        position += quoteLength;
                    }
                }
            }
        }
        """,
        """
        class Reader {
            void read(char[] chars, int position) {
                if (quoteLength > 0 && isQuote(chars, position, quoteLength)) { «outer»
                    position += quoteLength;
                }
            }
        }
        """,
    )
    assert placed["outer"].line == goals["outer"]


def test_an_assignment_that_got_a_type_over_several_lines_is_found_at_its_start():
    placed, goals = tracked(
        "scaffold.py",
        """
        class Scaffold:
            def __init__(self):
                self.before_request = defaultdict(list) «before»
                self.after_request = defaultdict(list)
        """,
        """
        class Scaffold:
            def __init__(self):
                self.before_request: dict[ «before»
                    str, list[Callable[[], Response]]
                ] = defaultdict(list)
                self.after_request: dict[
                    str, list[Callable[[Response], Response]]
                ] = defaultdict(list)
        """,
    )
    assert placed["before"].line == goals["before"]


def test_a_line_elsewhere_that_is_only_somewhat_alike_is_a_candidate_and_no_answer():
    placed, _ = tracked(
        "a.py",
        """
        def first(records):
            limit = settings.maximum(records)
            emit(records, limit) «emit»


        def second(queue):
            return queue.drain()
        """,
        """
        def second(queue):
            for entry in queue.waiting():
                emit(entry, bound)
            return queue.drain()
        """,
    )
    assert placed["emit"].line is None


def test_a_copied_overload_leaves_the_notes_with_the_original():
    original = """
        class Box {
            void put(int number) { «head»
                check(number); «check»
                store(number); «store»
                count += 1; «count»
            } «end»
"""
    copy = """
            void put(long number) {
                check(number);
                store(number);
                count += 1;
            }
"""
    placed, goals = tracked("Box.java", f"{original}        }}\n", f"{original}{copy}        }}\n")
    assert {mark: placement.line for mark, placement in placed.items()} == goals
