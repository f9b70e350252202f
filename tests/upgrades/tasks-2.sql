INSERT INTO tracker VALUES ('shop-0a1b2c', 'github', 'github', '{"repository":"o/r"}', '', 1, 1751366005.0, NULL);
INSERT INTO counterpart VALUES ('shop-0a1b2c', 'github', '7', '01JZ2N0000AAAAAAAAAAAAAAAA', 'https://example.org/7', '{}', '{}');
