-- Every dispute that is not over has a password.
UPDATE `disputes` SET `password` = lower(hex(randomblob(16)))
WHERE `password` IS NULL AND `closed_at` IS NULL AND `last_day` >= date('now');--> statement-breakpoint
-- A copy of a copy names the first contact, of which both are copies. A copy has a higher id than what it was made of.
WITH RECURSIVE lineage (id, first) AS (
  SELECT id, copied_from FROM contacts WHERE copied_from IS NOT NULL
  UNION ALL
  SELECT lineage.id, contacts.copied_from FROM lineage JOIN contacts ON contacts.id = lineage.first
  WHERE contacts.copied_from IS NOT NULL
)
UPDATE contacts SET copied_from = found.first
FROM (SELECT id, min(first) AS first FROM lineage GROUP BY id) AS found
WHERE contacts.id = found.id AND contacts.copied_from <> found.first;
