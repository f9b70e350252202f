// What can be reviewed: the differences between two states of the repository.

const REVISION = { name: "revision", label: "Commit", example: "HEAD" };
/** @typedef {{name: string, label: string, example: string}} Field an argument of `read_diff` that the user enters */
/**
 * What can be reviewed: its title, its fields, and its name in the text of a remark.
 * @type {Record<string, {title: string, fields: Field[], name: (oldCommit: string, newCommit: string) => string}>}
 */
export const SUBJECTS = {
  worktree: { title: "Uncommitted changes", fields: [], name: () => "the work tree" },
  unstaged: { title: "Unstaged changes", fields: [], name: () => "the work tree" },
  staged: { title: "Staged changes", fields: [], name: () => "what is staged" },
  commit: { title: "A commit", fields: [REVISION], name: (_oldCommit, newCommit) => `commit ${newCommit}` },
  range: {
    title: "A range of commits", fields: [{ name: "base", label: "From", example: "HEAD~3" }, REVISION],
    name: (oldCommit, newCommit) => `commits ${oldCommit}..${newCommit}`,
  },
  branch: {
    title: "This branch", fields: [{ name: "base", label: "From", example: "main" }], name: () => "this branch",
  },
};
