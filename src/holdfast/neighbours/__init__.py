"""Adapters through which tasks read the other rooms of a repository, one module per room.

`room_neighbours` combines them and implements the interface of `tasks.neighbours`.

Contract:
- A room that the repository does not have is reported as absent, and one that cannot be read as failed, with
  the reason. Neither prevents the others from being read.
- Results are cached per room, as long as a cheap fingerprint of its data is unchanged: the stat of files, the
  data version of the inbox, the tips of the logs, the HEAD commit.
- A task without files and links is looked up in git only, as no other room can mention it.
- Reading has no side effects: no message counts as delivered, no file is written. Only `answer` writes.
"""
