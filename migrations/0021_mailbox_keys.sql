-- The keys of addresses beyond ASCII (`mailboxKey` in src/contact/mailbox.ts). First and last capital letter of each range, the
-- step between them, and the distance to the small letters.
CREATE TABLE small_letters (letter TEXT PRIMARY KEY, small TEXT NOT NULL) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO small_letters
WITH ranges (first, last, step, distance) AS (VALUES
  (192,214,1,32), (216,222,1,32), (256,302,2,1), (306,310,2,1), (313,327,2,1), (330,374,2,1), (376,376,1,-121), (377,381,2,1),
  (385,385,1,210), (386,388,2,1), (390,390,1,206), (391,391,1,1), (393,394,1,205), (395,395,1,1), (398,398,1,79), (399,399,1,202),
  (400,400,1,203), (401,401,1,1), (403,403,1,205), (404,404,1,207), (406,406,1,211), (407,407,1,209), (408,408,1,1), (412,412,1,211),
  (413,413,1,213), (415,415,1,214), (416,420,2,1), (422,422,1,218), (423,423,1,1), (425,425,1,218), (428,428,1,1), (430,430,1,218),
  (431,431,1,1), (433,434,1,217), (435,437,2,1), (439,439,1,219), (440,440,1,1), (444,444,1,1), (452,452,1,2), (453,453,1,1),
  (455,455,1,2), (456,456,1,1), (458,458,1,2), (459,475,2,1), (478,494,2,1), (497,497,1,2), (498,500,2,1), (502,502,1,-97),
  (503,503,1,-56), (504,542,2,1), (544,544,1,-130), (546,562,2,1), (570,570,1,10795), (571,571,1,1), (573,573,1,-163),
  (574,574,1,10792), (577,577,1,1), (579,579,1,-195), (580,580,1,69), (581,581,1,71), (582,590,2,1), (880,882,2,1), (886,886,1,1),
  (895,895,1,116), (902,902,1,38), (904,906,1,37), (908,908,1,64), (910,911,1,63), (913,929,1,32), (931,939,1,32), (975,975,1,8),
  (984,1006,2,1), (1012,1012,1,-60), (1015,1015,1,1), (1017,1017,1,-7), (1018,1018,1,1), (1021,1023,1,-130), (1024,1039,1,80),
  (1040,1071,1,32), (1120,1152,2,1), (1162,1214,2,1), (1216,1216,1,15), (1217,1229,2,1), (1232,1326,2,1), (1329,1366,1,48),
  (4256,4293,1,7264), (4295,4295,1,7264), (4301,4301,1,7264), (5024,5103,1,38864), (5104,5109,1,8), (7305,7305,1,1),
  (7312,7354,1,-3008), (7357,7359,1,-3008), (7680,7828,2,1), (7838,7838,1,-7615), (7840,7934,2,1), (7944,7951,1,-8),
  (7960,7965,1,-8), (7976,7983,1,-8), (7992,7999,1,-8), (8008,8013,1,-8), (8025,8031,2,-8), (8040,8047,1,-8), (8072,8079,1,-8),
  (8088,8095,1,-8), (8104,8111,1,-8), (8120,8121,1,-8), (8122,8122,1,-74), (8124,8124,1,-9), (8136,8138,2,-86), (8140,8140,1,-9),
  (8152,8153,1,-8), (8154,8154,1,-100), (8168,8169,1,-8), (8170,8170,1,-112), (8172,8172,1,-7), (8184,8184,1,-128),
  (8186,8186,1,-126), (8188,8188,1,-9), (8498,8498,1,28), (8544,8559,1,16), (8579,8579,1,1), (9398,9423,1,26), (11264,11311,1,48),
  (11360,11360,1,1), (11362,11362,1,-10743), (11363,11363,1,-3814), (11364,11364,1,-10727), (11367,11371,2,1),
  (11373,11373,1,-10780), (11374,11374,1,-10749), (11375,11375,1,-10783), (11376,11376,1,-10782), (11378,11378,1,1),
  (11381,11381,1,1), (11390,11391,1,-10815), (11392,11490,2,1), (11499,11501,2,1), (11506,11506,1,1), (42560,42604,2,1),
  (42624,42650,2,1), (42786,42798,2,1), (42802,42862,2,1), (42873,42875,2,1), (42877,42877,1,-35332), (42878,42886,2,1),
  (42891,42891,1,1), (42893,42893,1,-42280), (42896,42898,2,1), (42902,42920,2,1), (42922,42922,1,-42308), (42923,42923,1,-42319),
  (42924,42924,1,-42315), (42925,42925,1,-42305), (42926,42926,1,-42308), (42928,42928,1,-42258), (42929,42929,1,-42282),
  (42930,42930,1,-42261), (42931,42931,1,928), (42932,42946,2,1), (42948,42948,1,-48), (42949,42949,1,-42307),
  (42950,42950,1,-35384), (42951,42953,2,1), (42955,42955,1,-42343), (42956,42970,2,1), (42972,42972,1,-42561), (42997,42997,1,1),
  (65313,65338,1,32), (66560,66599,1,40), (66736,66771,1,40), (66928,66964,2,39), (66929,66937,2,39), (66941,66953,2,39),
  (66957,66961,2,39), (66965,66965,1,39), (68736,68786,1,64), (68944,68965,1,32), (71840,71871,1,32), (93760,93791,1,32),
  (93856,93880,1,27), (125184,125217,1,34)
),
codes (code, last, step, distance) AS (
  SELECT * FROM ranges UNION ALL SELECT code + step, last, step, distance FROM codes WHERE code < last
)
SELECT char(code), char(code + distance) FROM codes UNION ALL VALUES ('İ', 'i̇');
--> statement-breakpoint
CREATE TABLE international_mailboxes AS
SELECT id, rtrim(address, replace(address, '@', '')) AS local, address FROM (
  SELECT id, (
    WITH RECURSIVE places (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM places WHERE n < length(email))
    SELECT group_concat(ifnull(small, lower(substr(email, n, 1))), '' ORDER BY n)
    FROM places LEFT JOIN small_letters ON letter = substr(email, n, 1)
  ) AS address
  FROM contacts WHERE email GLOB '*[^ -~]*'
);
--> statement-breakpoint
CREATE TABLE mailbox_labels AS
SELECT international_mailboxes.id, key AS place, value AS label FROM international_mailboxes, json_each(
  '[' || replace(json_quote(substr(address, length(local) + 1)), '.', '","') || ']');
--> statement-breakpoint
CREATE TABLE label_characters (label TEXT, n INTEGER, code INTEGER, PRIMARY KEY (label, n)) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO label_characters
WITH RECURSIVE characters (label, n, code) AS (
  SELECT DISTINCT label, 1, unicode(label) FROM mailbox_labels WHERE label GLOB '*[^ -~]*'
  UNION ALL SELECT label, n + 1, unicode(substr(label, n + 1)) FROM characters WHERE n < length(label)
)
SELECT * FROM characters;
--> statement-breakpoint
CREATE INDEX labels_of_mailbox ON mailbox_labels (id);
--> statement-breakpoint
-- Punycode (RFC 3492): the characters beyond ASCII in the order in which they are inserted, with the number of characters then,
-- and their place among them.
CREATE TABLE label_insertions AS
WITH inserted AS (
  SELECT label, code, row_number() OVER ordered AS step,
    row_number() OVER ordered
      + (SELECT count(*) FROM label_characters AS other WHERE other.label = inserted.label AND other.code < 128) AS length,
    (SELECT count(*) FROM label_characters AS other
      WHERE other.label = inserted.label AND other.n < inserted.n AND other.code <= inserted.code) AS place
  FROM label_characters AS inserted WHERE code >= 128
  WINDOW ordered AS (PARTITION BY label ORDER BY code, n)
)
SELECT label, step, length,
  (code - lag(code, 1, 128) OVER ordered) * length + place - lag(place + 1, 1, 0) OVER ordered AS delta
FROM inserted WINDOW ordered AS (PARTITION BY label ORDER BY step);
--> statement-breakpoint
CREATE TABLE ascii_labels AS
WITH RECURSIVE halved AS (
  SELECT *, iif(step = 1, delta / 700, delta / 2) AS half FROM label_insertions
),
powers (digits, power) AS (VALUES (0, 1), (1, 35), (2, 1225), (3, 42875), (4, 1500625)),
-- The bias of each insertion depends on the one before.
adapted AS (
  SELECT label, step, delta, ifnull(lag((
    SELECT 36 * digits + 36 * (sum / power) / (sum / power + 38) FROM powers WHERE sum / power <= 455 ORDER BY digits LIMIT 1
  )) OVER (PARTITION BY label ORDER BY step), 72) AS bias
  FROM (SELECT *, half + half / length AS sum FROM halved)
),
-- The rest of a delta, null at the end, and its digits so far.
encoded (label, step, bias, position, threshold, rest, digits) AS (
  SELECT label, step, bias, 1, max(1, min(26, 36 - bias)), delta, '' FROM adapted
  UNION ALL
  SELECT label, step, bias, position + 1, max(1, min(26, 36 * (position + 1) - bias)),
    iif(rest < threshold, NULL, (rest - threshold) / (36 - threshold)),
    digits || substr('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
      iif(rest < threshold, rest, threshold + (rest - threshold) % (36 - threshold)) + 1, 1)
  FROM encoded WHERE rest IS NOT NULL
)
SELECT label, 'XN--' || ifnull(nullif((
  WITH RECURSIVE places (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM places WHERE n < length(label))
  SELECT group_concat(substr(label, n, 1), '' ORDER BY n) FROM places WHERE substr(label, n, 1) NOT GLOB '[^ -~]'
), '') || '-', '') || group_concat(digits, '' ORDER BY step) AS ascii
FROM encoded WHERE rest IS NULL GROUP BY label;
--> statement-breakpoint
CREATE UNIQUE INDEX ascii_of_label ON ascii_labels (label);
--> statement-breakpoint
UPDATE contacts SET email_key = upper(local || (
  SELECT group_concat(ifnull(ascii, mailbox_labels.label), '.' ORDER BY place)
  FROM mailbox_labels LEFT JOIN ascii_labels ON ascii_labels.label = mailbox_labels.label
  WHERE mailbox_labels.id = international_mailboxes.id
)) FROM international_mailboxes WHERE contacts.id = international_mailboxes.id;
--> statement-breakpoint
DROP TABLE small_letters;
--> statement-breakpoint
DROP TABLE international_mailboxes;
--> statement-breakpoint
DROP TABLE mailbox_labels;
--> statement-breakpoint
DROP TABLE label_characters;
--> statement-breakpoint
DROP TABLE label_insertions;
--> statement-breakpoint
DROP TABLE ascii_labels;
