INSERT INTO message (sequence, digest, file, comment, line, author, time, work_tree, changed_lines, lease, lease_ends,
  delivered_at) VALUES (1, '5d41402abc4b2a76b9719d911017c592000000000000000000000000000000aa', 'src/a.py', 'Größe; prüfen?', '3-5', 'Ada',
  '2025-07-01T10:30:00Z', '/somewhere', NULL, NULL, NULL, NULL);
INSERT INTO message (sequence, digest, file, comment, line, author, time, work_tree, changed_lines, lease, lease_ends,
  delivered_at) VALUES (2, '7d793037a0760186574b0282f2f435e7000000000000000000000000000000bb', 'b.py', 'Delivered', NULL, NULL,
  '2025-07-01T10:31:00Z', '/somewhere', 'x = 1', NULL, NULL, '2025-07-01T10:32:00Z');
INSERT INTO reply VALUES (1, 2, 'It''s done.', 'an agent', '2025-07-01T10:33:00Z');
