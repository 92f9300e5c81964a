-- The keys of former contacts' names, as in migration 0031.
UPDATE former_contacts SET name_key = folded.key FROM (
  SELECT id AS folded_id, trim(replace(replace(replace((
    WITH RECURSIVE places (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM places WHERE n < length(name_key))
    SELECT group_concat(ifnull(plain, substr(name_key, n, 1)), '' ORDER BY n)
    FROM places LEFT JOIN plain_letters ON letter = substr(name_key, n, 1)
  ), ' ', char(1, 2)), char(2, 1), ''), char(1, 2), ' ')) AS key
  FROM former_contacts WHERE name_key GLOB '*[^ -~]*' AND (
  name_key GLOB char(42, 91, 9,45,13, 168,45,222, 306,45,338, 452,45,497, 688,45,740, 890,45,901, 93, 42)
  OR name_key GLOB char(42, 91, 978,45,1017, 1564,45,1564, 1653,45,1656, 3635,45,3635, 3763,45,3763, 3804,45,3805, 93, 42)
  OR name_key GLOB char(42, 91, 3852,45,3852, 3959,45,3961, 4348,45,4348, 6068,45,6069, 6155,45,6159, 7468,45,7615, 93, 42)
  OR name_key GLOB char(42, 91, 8125,45,8360, 8448,45,8585, 8748,45,8752, 9312,45,9450, 10764,45,10764, 10868,45,10870, 93, 42)
  OR name_key GLOB char(42, 91, 11388,45,11389, 11631,45,11631, 11935,45,11935, 12019,45,12245, 12342,45,12346, 12443,45,12447, 93, 42)
  OR name_key GLOB char(42, 91, 12543,45,12543, 12690,45,12703, 12832,45,13311, 42652,45,42653, 42864,45,42864, 42993,45,43001, 93, 42)
  OR name_key GLOB char(42, 91, 43868,45,43881, 64288,45,64967, 65008,45,65437, 65504,45,65528, 93, 42)
) AND name_key NOT GLOB '*[ᄀ-ᇿ㄰-㆏㈀-㈟ﾞ-ￜ]*' AND name_key NOT GLOB '*[𐀀-􏿿]*'
) AS folded WHERE former_contacts.id = folded_id AND former_contacts.name_key <> folded.key;
--> statement-breakpoint
DROP TABLE plain_letters;
