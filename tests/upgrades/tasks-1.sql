INSERT INTO workspace VALUES ('shop-0a1b2c', 'shop', 'criteria', '["python"]', 3, 1751366000.5);
INSERT INTO task VALUES ('01JZ2N0000AAAAAAAAAAAAAAAA', 'shop-0a1b2c', 1, 'Größe; prüfen', 'It''s the first.', 'in-progress', 0, 40,
  NULL, 'v1', '[{"checked":true,"text":"A test shows it"}]', '[]', 'a note', NULL, 1.0, 2, 0, 1, 'ada', 1751366001.0, 1751366002.0,
  1751366002.0, NULL, 7, 'https://example.org/7', 'ada', NULL, 'token-1', 1751366002.0, 4102444800.0);
INSERT INTO task VALUES ('01JZ2N0000BBBBBBBBBBBBBBBB', 'shop-0a1b2c', 2, 'Second', 'Waits for the first.', 'backlog', 1, 0,
  NULL, NULL, '[]', '[]', NULL, NULL, 2.0, 1, 1, 0, 'bob', 1751366003.0, 1751366003.0,
  NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO dependency VALUES ('01JZ2N0000BBBBBBBBBBBBBBBB', '01JZ2N0000AAAAAAAAAAAAAAAA', 'blocks');
INSERT INTO label VALUES ('01JZ2N0000AAAAAAAAAAAAAAAA', 'shop');
INSERT INTO file VALUES ('01JZ2N0000AAAAAAAAAAAAAAAA', 'src/shop.py', 'source', 3, 9);
INSERT INTO link VALUES ('01JZ2N0000BBBBBBBBBBBBBBBB', 'url', 'https://example.org', NULL, 'Where it began');
INSERT INTO content VALUES ('8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4', x'6869');
INSERT INTO attachment VALUES ('01JZ2N0000AAAAAAAAAAAAAAAA', 'hi.txt', 'text/plain',
  '8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4', 2);
INSERT INTO event VALUES (1, 'shop-0a1b2c', 1751366001.0, 'ada', NULL, '01JZ2N0000AAAAAAAAAAAAAAAA', 1, 'created', NULL, '{}', NULL);
INSERT INTO event VALUES (2, 'shop-0a1b2c', 1751366002.0, 'ada', NULL, '01JZ2N0000AAAAAAAAAAAAAAAA', 2, 'claimed', '{}', '{}', 'mine');
INSERT INTO event VALUES (3, 'shop-0a1b2c', 1751366003.0, 'bob', NULL, '01JZ2N0000BBBBBBBBBBBBBBBB', 1, 'created', NULL, '{}', NULL);
INSERT INTO name VALUES ('shop-0a1b2c', 'id:TP-9', '01JZ2N0000BBBBBBBBBBBBBBBB');
INSERT INTO rule VALUES ('shop-0a1b2c/standard/r_1', 'shop-0a1b2c', 'standard', 'git', 'Name the task.', 1.0, 'init', 1, 1751366000.5);
INSERT INTO template (workspace, name, body, updated_at) VALUES ('shop-0a1b2c', 'plan', 'Plan it.', 1751366004.0);
INSERT INTO session VALUES ('s_0001', 'shop-0a1b2c', 'ada', 1751366001.0, 1751366002.0, NULL);
