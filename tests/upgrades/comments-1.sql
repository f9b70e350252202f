INSERT INTO version VALUES ('814f4a422927b82f5f8a43f8fab6d3839e3983f2', x'789ccbcf4be52a29cfe702000d2f02b1');
INSERT INTO sidecar VALUES ('/somewhere', 'a.py.comments', 'd1', 4);
INSERT INTO written VALUES ('/somewhere', 'a.py.comments', 'c-1', 4, '2025-07-01T10:30:00.000Z', '{"comment":{"id":"c-1"}}', 0);
