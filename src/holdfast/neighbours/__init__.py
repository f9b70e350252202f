"""Adapters through which tasks read the other rooms of a repository: comments, inbox, milestones, findings,
git.

There is one module for each room. `room_neighbours` combines them and implements the interface of
`tasks.neighbours`.

Contract:
- A room that the repository does not have is reported as absent, and a room that cannot be read as failed,
  with the reason. Neither prevents the others from being read.
- Results are cached for each room as long as a cheap fingerprint of its data is unchanged: the stat of files,
  the data version of the inbox, the tips of the logs, the HEAD commit.
- A task without files and links is looked up only in git, because no other room can mention it.
- Reading has no side effects: messages are not marked as delivered, and no file is written. Only `answer`
  writes.
"""
