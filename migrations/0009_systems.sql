CREATE TABLE `certificates` (
	`id` integer PRIMARY KEY NOT NULL,
	`api_user_id` integer,
	`system_id` integer,
	`fingerprint` text NOT NULL,
	`common_name` text,
	`expires_at` text,
	`presented_at` text,
	`created_at` text NOT NULL,
	FOREIGN KEY (`api_user_id`) REFERENCES `api_users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`system_id`) REFERENCES `systems`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "certificates_holder" CHECK(("certificates"."api_user_id" is null) <> ("certificates"."system_id" is null)),
	CONSTRAINT "certificates_fingerprint" CHECK(length("certificates"."fingerprint") = 64 and "certificates"."fingerprint" not glob '*[^0-9a-f]*')
);
--> statement-breakpoint
CREATE UNIQUE INDEX `certificates_of_api_user` ON `certificates` (`api_user_id`,`fingerprint`);--> statement-breakpoint
CREATE UNIQUE INDEX `certificates_of_system` ON `certificates` (`system_id`,`fingerprint`);--> statement-breakpoint
CREATE TABLE `registrations` (
	`name` text PRIMARY KEY NOT NULL,
	`system_id` integer NOT NULL,
	`registered_at` text NOT NULL,
	`last_entry` integer NOT NULL,
	`used` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `registrations_registered_at` ON `registrations` (`registered_at`);--> statement-breakpoint
CREATE TABLE `systems` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`key_digest` text NOT NULL,
	`key_changed_at` text NOT NULL,
	`previous_key_digest` text,
	`previous_key_valid_until` text,
	`rights` text NOT NULL,
	`allowed_ips` text NOT NULL,
	`certificate_required` integer DEFAULT false NOT NULL,
	`disabled_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	CONSTRAINT "systems_key_digest" CHECK(length("systems"."key_digest") = 64 and "systems"."key_digest" not glob '*[^0-9a-f]*'),
	CONSTRAINT "systems_previous_key" CHECK("systems"."previous_key_valid_until" is null or "systems"."previous_key_digest" is not null)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `systems_name_unique` ON `systems` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `systems_key_digest_unique` ON `systems` (`key_digest`);--> statement-breakpoint
CREATE UNIQUE INDEX `systems_previous_key_digest_unique` ON `systems` (`previous_key_digest`);--> statement-breakpoint
-- History gets a system as a subject and as an actor. Nothing refers to the table.
CREATE TABLE `__new_history` (
	`id` integer PRIMARY KEY NOT NULL,
	`occurred_at` text NOT NULL,
	`subject` text NOT NULL,
	`subject_key` text NOT NULL,
	`subject_uuid` text,
	`registrar` text,
	`action` text NOT NULL,
	`actor_type` text NOT NULL,
	`actor` text NOT NULL,
	`request_id` text,
	`client_reference` text,
	`changes` text NOT NULL,
	CONSTRAINT "history_subject" CHECK("__new_history"."subject" in ('contact', 'auction', 'registrar', 'api_user', 'retained_domain', 'dispute', 'domain', 'system', 'disclosure')),
	CONSTRAINT "history_actor_type" CHECK("__new_history"."actor_type" in ('api_user', 'registrant', 'auction_centre', 'operator', 'cron', 'move_in', 'system', 'identity_service')),
	CONSTRAINT "history_changes" CHECK(json_valid("__new_history"."changes"))
);
--> statement-breakpoint
INSERT INTO `__new_history`("id", "occurred_at", "subject", "subject_key", "subject_uuid", "registrar", "action", "actor_type", "actor", "request_id", "client_reference", "changes") SELECT "id", "occurred_at", "subject", "subject_key", "subject_uuid", "registrar", "action", "actor_type", "actor", "request_id", "client_reference", "changes" FROM `history`;--> statement-breakpoint
DROP TABLE `history`;--> statement-breakpoint
ALTER TABLE `__new_history` RENAME TO `history`;--> statement-breakpoint
CREATE INDEX `history_subject_key` ON `history` (`subject`,`subject_key`);--> statement-breakpoint
CREATE INDEX `history_of_deleted_persons` ON `history` (changes ->> '$.identCountryCode.from', changes ->> '$.ident.key') WHERE subject = 'contact' and action = 'delete' and changes ->> '$.identType.from' = 'priv';--> statement-breakpoint
CREATE INDEX `history_of_contact` ON `history` (`subject_uuid`) WHERE subject = 'contact' and action <> 'update';--> statement-breakpoint
CREATE INDEX `history_of_identity` ON `history` (`subject_uuid`) WHERE subject = 'contact' and action = 'update' and coalesce(changes -> '$.ident', changes -> '$.identType', changes -> '$.identCountryCode') is not null;--> statement-breakpoint
ALTER TABLE `api_users` ADD `certificate_required` integer DEFAULT false NOT NULL;--> statement-breakpoint
-- The triggers of the former table, which went with it.
-- INSERT OR REPLACE deletes the old row without running a delete trigger. An id that is not given is -1 here.
CREATE TRIGGER history_kept_from_replacement BEFORE INSERT ON history
  WHEN NEW.id > 0 AND EXISTS (SELECT 1 FROM history WHERE id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'history is append-only');
END;
--> statement-breakpoint
CREATE TRIGGER history_kept_from_delete BEFORE DELETE ON history WHEN NOT EXISTS (
  SELECT 1 FROM history_permits WHERE permission = 'archive' AND OLD.id BETWEEN first_id AND last_id
) BEGIN
  SELECT RAISE(ABORT, 'history is append-only');
END;
--> statement-breakpoint
-- The only permitted difference: values of a contact's fields have become {"removed":true}.
CREATE TRIGGER history_kept_from_update BEFORE UPDATE ON history WHEN NOT (
  EXISTS (SELECT 1 FROM history_permits WHERE permission = 'remove_values' AND OLD.id BETWEEN first_id AND last_id)
  AND OLD.subject = 'contact'
  AND NEW.id IS OLD.id
  AND NEW.occurred_at IS OLD.occurred_at
  AND NEW.subject IS OLD.subject
  AND NEW.subject_key IS OLD.subject_key
  AND NEW.subject_uuid IS OLD.subject_uuid
  AND NEW.registrar IS OLD.registrar
  AND NEW.action IS OLD.action
  AND NEW.actor_type IS OLD.actor_type
  AND NEW.actor IS OLD.actor
  AND NEW.request_id IS OLD.request_id
  AND NEW.client_reference IS OLD.client_reference
  AND (SELECT count(*) FROM json_each(NEW.changes)) = (SELECT count(*) FROM json_each(OLD.changes))
  AND NOT EXISTS (
    SELECT 1 FROM json_each(OLD.changes) AS old LEFT JOIN json_each(NEW.changes) AS new ON new.key = old.key
    WHERE new.value IS NOT old.value
      AND (new.value IS NOT '{"removed":true}' OR json_type(old.value, '$.from') IS NULL)
  )
) BEGIN
  SELECT RAISE(ABORT, 'history is append-only');
END;
