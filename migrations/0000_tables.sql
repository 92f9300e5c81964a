-- Each table comes after those that it refers to: an export lists the tables in the order in which they were created,
-- and an import refuses rows whose parent table does not exist yet.
CREATE TABLE `registrars` (
	`id` integer PRIMARY KEY NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`allowed_ips` text DEFAULT '[]' NOT NULL,
	`contact_count` integer DEFAULT 0 NOT NULL,
	`lost_change_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	CONSTRAINT "registrars_code" CHECK("registrars"."code" = upper("registrars"."code") and length("registrars"."code") between 1 and 100),
	CONSTRAINT "registrars_code_characters" CHECK("registrars"."code" not glob '*[:' || char(1) || '-' || char(31) || char(127) || ']*'),
	CONSTRAINT "registrars_contact_count" CHECK("registrars"."contact_count" >= 0)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `registrars_code_unique` ON `registrars` (`code`);
--> statement-breakpoint
CREATE TABLE `api_users` (
	`id` integer PRIMARY KEY NOT NULL,
	`registrar_id` integer NOT NULL,
	`username` text NOT NULL,
	`secret_digest` text,
	`password_hash` text,
	`secret_changed_at` text NOT NULL,
	`previous_secret_digest` text,
	`previous_secret_changed_at` text,
	`previous_secret_valid_until` text,
	`disabled_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`registrar_id`) REFERENCES `registrars`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "api_users_username" CHECK("api_users"."username" <> '' and instr("api_users"."username", ':') = 0),
	CONSTRAINT "api_users_secret_digest" CHECK(length("api_users"."secret_digest") = 64 and "api_users"."secret_digest" not glob '*[^0-9a-f]*'),
	CONSTRAINT "api_users_password_hash" CHECK(length("api_users"."password_hash") = 90 and "api_users"."password_hash" glob 'pbkdf2-sha256$100000$*==$*='),
	CONSTRAINT "api_users_credential" CHECK("api_users"."secret_digest" is not null or ("api_users"."password_hash" is not null and "api_users"."previous_secret_digest" is null)),
	CONSTRAINT "api_users_previous" CHECK(("api_users"."previous_secret_changed_at" is not null) = ("api_users"."previous_secret_digest" is not null) + ("api_users"."secret_digest" is not null and "api_users"."password_hash" is not null)),
	CONSTRAINT "api_users_previous_valid_until" CHECK("api_users"."previous_secret_valid_until" is null or "api_users"."previous_secret_changed_at" is not null)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_users_username_unique` ON `api_users` (`username`);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_users_secret_digest_unique` ON `api_users` (`secret_digest`);
--> statement-breakpoint
CREATE INDEX `api_users_registrar` ON `api_users` (`registrar_id`);
--> statement-breakpoint
CREATE INDEX `api_users_password` ON `api_users` (`password_hash`) WHERE password_hash is not null;
--> statement-breakpoint
CREATE INDEX `api_users_previous_secret` ON `api_users` (`previous_secret_digest`) WHERE previous_secret_digest is not null;
--> statement-breakpoint
CREATE INDEX `api_users_previous_valid_until` ON `api_users` (`previous_secret_valid_until`) WHERE previous_secret_valid_until is not null;
--> statement-breakpoint
CREATE TABLE `contacts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`registrar_id` integer NOT NULL,
	`number` integer NOT NULL,
	`code` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`org_name` text,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`phone` text NOT NULL,
	`fax` text,
	`ident` text NOT NULL,
	`ident_key` text NOT NULL,
	`ident_type` text NOT NULL,
	`ident_country_code` text NOT NULL,
	`street` text,
	`city` text,
	`zip` text,
	`state` text,
	`country_code` text,
	`auth_info` text NOT NULL,
	`statuses` text DEFAULT '[]' NOT NULL,
	`status_notes` text DEFAULT '{}' NOT NULL,
	`disclosed_attributes` text DEFAULT '[]' NOT NULL,
	`legacy_id` text,
	`domain_count` integer DEFAULT 0 NOT NULL,
	`unlinked_at` text,
	`version` integer DEFAULT 1 NOT NULL,
	`creator` text,
	`updater` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`registrar_id`) REFERENCES `registrars`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "contacts_code" CHECK("contacts"."code" = upper("contacts"."code") and length("contacts"."code") <= 100),
	CONSTRAINT "contacts_ident_key" CHECK("contacts"."ident" glob '*[^0-9A-Za-z]*' or "contacts"."ident_key" = upper("contacts"."ident")),
	CONSTRAINT "contacts_name_key" CHECK("contacts"."name" glob '*[^ -~]*' or "contacts"."name_key" = upper("contacts"."name")),
	CONSTRAINT "contacts_email_key" CHECK("contacts"."email" glob '*[^ -~]*' or "contacts"."email_key" = upper("contacts"."email")),
	CONSTRAINT "contacts_json" CHECK(json_valid("contacts"."statuses") and json_valid("contacts"."status_notes") and json_valid("contacts"."disclosed_attributes")),
	CONSTRAINT "contacts_domain_count" CHECK("contacts"."domain_count" >= 0)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `contacts_uuid_unique` ON `contacts` (`uuid`);
--> statement-breakpoint
CREATE UNIQUE INDEX `contacts_code_unique` ON `contacts` (`code`);
--> statement-breakpoint
CREATE UNIQUE INDEX `contacts_of_registrar` ON `contacts` (`registrar_id`,`number`,`code`);
--> statement-breakpoint
CREATE INDEX `contacts_of_identity` ON `contacts` (`ident_country_code`,`ident_key`) WHERE ident_type = 'priv';
--> statement-breakpoint
CREATE INDEX `contacts_by_ident` ON `contacts` (`registrar_id`,`ident_key`,`number`);
--> statement-breakpoint
CREATE INDEX `contacts_by_email` ON `contacts` (`registrar_id`,`email_key`,`number`);
--> statement-breakpoint
CREATE INDEX `contacts_by_name` ON `contacts` (`registrar_id`,`name_key`,`number`);
--> statement-breakpoint
CREATE INDEX `contacts_by_country` ON `contacts` (`registrar_id`,`ident_country_code`,`number`);
--> statement-breakpoint
CREATE INDEX `contacts_by_change` ON `contacts` (`registrar_id`,`updated_at`,`number`);
--> statement-breakpoint
CREATE INDEX `contacts_with_statuses` ON `contacts` (`registrar_id`,`number`) WHERE statuses <> '[]';
--> statement-breakpoint
CREATE INDEX `contacts_linked` ON `contacts` (`registrar_id`,`number`) WHERE domain_count > 0;
--> statement-breakpoint
CREATE TABLE `contact_blocks` (
	`registrar_id` integer NOT NULL,
	`block` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`registrar_id`, `block`),
	FOREIGN KEY (`registrar_id`) REFERENCES `registrars`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "contact_blocks_count" CHECK("contact_blocks"."count" >= 0)
);
--> statement-breakpoint
CREATE TABLE `domains` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`punycode` text NOT NULL,
	`registrar_id` integer NOT NULL,
	`created_at` text NOT NULL,
	FOREIGN KEY (`registrar_id`) REFERENCES `registrars`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `domains_name` ON `domains` (`name`);
--> statement-breakpoint
CREATE TABLE `domain_contacts` (
	`domain_id` integer NOT NULL,
	`contact_id` integer NOT NULL,
	`role` text NOT NULL,
	PRIMARY KEY(`domain_id`, `contact_id`, `role`),
	FOREIGN KEY (`domain_id`) REFERENCES `domains`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`contact_id`) REFERENCES `contacts`(`id`) ON UPDATE no action ON DELETE restrict,
	CONSTRAINT "domain_contacts_role" CHECK("domain_contacts"."role" in ('registrant', 'admin', 'tech'))
);
--> statement-breakpoint
CREATE INDEX `domain_contacts_contact` ON `domain_contacts` (`contact_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `domain_contacts_registrant` ON `domain_contacts` (`domain_id`) WHERE role = 'registrant';
--> statement-breakpoint
CREATE TABLE `auctions` (
	`id` integer PRIMARY KEY NOT NULL,
	`uuid` text NOT NULL,
	`name` text NOT NULL,
	`punycode` text NOT NULL,
	`status` text DEFAULT 'started' NOT NULL,
	`registration_code` text,
	`registration_deadline` text,
	`platform` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	CONSTRAINT "auctions_status" CHECK("auctions"."status" in ('started', 'awaiting_payment', 'no_bids', 'payment_received', 'payment_not_received', 'domain_registered', 'domain_not_registered'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auctions_uuid_unique` ON `auctions` (`uuid`);
--> statement-breakpoint
CREATE UNIQUE INDEX `auctions_in_progress` ON `auctions` (`name`) WHERE status = 'started';
--> statement-breakpoint
CREATE INDEX `auctions_name` ON `auctions` (`name`);
--> statement-breakpoint
CREATE TABLE `retained_domains` (
	`name` text NOT NULL,
	`punycode` text NOT NULL,
	`status` text NOT NULL,
	`password` text,
	`last_day` text,
	`created_at` text NOT NULL,
	PRIMARY KEY(`name`, `status`),
	CONSTRAINT "retained_domains_status" CHECK("retained_domains"."status" in ('reserved', 'blocked')),
	CONSTRAINT "retained_domains_last_day" CHECK("retained_domains"."last_day" is date("retained_domains"."last_day")),
	CONSTRAINT "retained_domains_reserved" CHECK("retained_domains"."status" = 'reserved' or ("retained_domains"."password" is null and "retained_domains"."last_day" is null))
);
--> statement-breakpoint
CREATE INDEX `retained_domains_last_day` ON `retained_domains` (`last_day`) WHERE last_day is not null;
--> statement-breakpoint
CREATE TABLE `retained_replacements` (
	`replacement` text NOT NULL,
	`name` text NOT NULL,
	`punycode` text NOT NULL,
	`status` text NOT NULL,
	`password` text,
	`last_day` text,
	PRIMARY KEY(`replacement`, `name`, `status`),
	CONSTRAINT "retained_replacements_status" CHECK("retained_replacements"."status" in ('reserved', 'blocked'))
);
--> statement-breakpoint
CREATE TABLE `disputes` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`punycode` text NOT NULL,
	`first_day` text NOT NULL,
	`last_day` text NOT NULL,
	`password` text,
	`comment` text,
	`initiator` text,
	`closed_at` text,
	`created_at` text NOT NULL,
	CONSTRAINT "disputes_days" CHECK("disputes"."first_day" is date("disputes"."first_day") and "disputes"."last_day" is date("disputes"."last_day")),
	CONSTRAINT "disputes_order" CHECK("disputes"."first_day" <= "disputes"."last_day")
);
--> statement-breakpoint
CREATE INDEX `disputes_name` ON `disputes` (`name`);
--> statement-breakpoint
CREATE INDEX `disputes_first_day` ON `disputes` (`first_day`);
--> statement-breakpoint
CREATE INDEX `disputes_last_day` ON `disputes` (`last_day`);
--> statement-breakpoint
CREATE TABLE `list_sources` (
	`id` integer PRIMARY KEY NOT NULL,
	`auctions` integer DEFAULT 0 NOT NULL,
	`reserved` integer DEFAULT 0 NOT NULL,
	`blocked` integer DEFAULT 0 NOT NULL,
	`disputed` integer DEFAULT 0 NOT NULL,
	CONSTRAINT "list_sources_single" CHECK("list_sources"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `auction_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`at` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `retained_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`at` text NOT NULL,
	`status` text
);
--> statement-breakpoint
CREATE TABLE `list_publications` (
	`list` text PRIMARY KEY NOT NULL,
	`publication` text NOT NULL,
	`etag` text NOT NULL,
	`source_version` text NOT NULL,
	`journal_position` integer NOT NULL,
	`day` text NOT NULL,
	`head` text NOT NULL,
	`metadata` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `list_leftovers` (
	`publication` text PRIMARY KEY NOT NULL,
	`list` text NOT NULL,
	`keys` text,
	`since` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `list_leftovers_since` ON `list_leftovers` (`since`);
--> statement-breakpoint
CREATE TABLE `daily_counts` (
	`day` text NOT NULL,
	`list` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`day`, `list`),
	CONSTRAINT "daily_counts_day" CHECK("daily_counts"."day" is date("daily_counts"."day")),
	CONSTRAINT "daily_counts_count" CHECK("daily_counts"."count" >= 0)
);
--> statement-breakpoint
CREATE TABLE `archived_days` (
	`list` text NOT NULL,
	`day` text NOT NULL,
	`record` text NOT NULL,
	PRIMARY KEY(`list`, `day`),
	CONSTRAINT "archived_days_day" CHECK("archived_days"."day" is date("archived_days"."day"))
);
--> statement-breakpoint
CREATE TABLE `history` (
	`id` integer PRIMARY KEY NOT NULL,
	`occurred_at` text NOT NULL,
	`subject` text NOT NULL,
	`subject_key` text NOT NULL,
	`subject_uuid` text,
	`action` text NOT NULL,
	`actor_type` text NOT NULL,
	`actor` text NOT NULL,
	`request_id` text,
	`client_reference` text,
	`changes` text NOT NULL,
	CONSTRAINT "history_subject" CHECK("history"."subject" in ('contact', 'auction', 'registrar', 'api_user', 'retained_domain', 'dispute', 'domain')),
	CONSTRAINT "history_actor_type" CHECK("history"."actor_type" in ('api_user', 'registrant', 'auction_centre', 'operator', 'cron', 'move_in')),
	CONSTRAINT "history_changes" CHECK(json_valid("history"."changes"))
);
--> statement-breakpoint
CREATE INDEX `history_subject_key` ON `history` (`subject`,`subject_key`);
--> statement-breakpoint
CREATE INDEX `history_of_deleted_persons` ON `history` (changes ->> '$.identCountryCode.from',changes ->> '$.ident.key') WHERE subject = 'contact' and action = 'delete' and changes ->> '$.identType.from' = 'priv';
--> statement-breakpoint
CREATE TABLE `history_permits` (
	`id` integer PRIMARY KEY NOT NULL,
	`permission` text NOT NULL,
	`first_id` integer NOT NULL,
	`last_id` integer NOT NULL,
	CONSTRAINT "history_permits_single" CHECK("history_permits"."id" = 1),
	CONSTRAINT "history_permits_permission" CHECK("history_permits"."permission" in ('archive', 'remove_values'))
);
--> statement-breakpoint
CREATE TABLE `history_archives` (
	`id` integer PRIMARY KEY NOT NULL,
	`file` text,
	`run` text,
	`archived_until` text,
	CONSTRAINT "history_archives_single" CHECK("history_archives"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE `sweeps` (
	`name` text PRIMARY KEY NOT NULL,
	`after` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `cron_runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`cron` text NOT NULL,
	`started_at` text NOT NULL,
	`took_ms` integer NOT NULL,
	`failed` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `notifications` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`registrar_id` integer NOT NULL,
	`event` text NOT NULL,
	`text` text NOT NULL,
	`subject_key` text NOT NULL,
	`fields` text NOT NULL,
	`created_at` text NOT NULL,
	`read_at` text,
	FOREIGN KEY (`registrar_id`) REFERENCES `registrars`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "notifications_event" CHECK("notifications"."event" in ('contact.updated', 'contact.deleted', 'api_user.updated')),
	CONSTRAINT "notifications_fields" CHECK(json_valid("notifications"."fields"))
);
--> statement-breakpoint
CREATE INDEX `notifications_unread` ON `notifications` (`registrar_id`,`id`) WHERE read_at is null;
--> statement-breakpoint
CREATE INDEX `notifications_read` ON `notifications` (`read_at`) WHERE read_at is not null;
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`registrar_id` integer PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`secret` text NOT NULL,
	`created_at` text NOT NULL,
	`queued_until` text,
	`resumes_at` text,
	`failures` integer DEFAULT 0 NOT NULL,
	`failing_since` text,
	FOREIGN KEY (`registrar_id`) REFERENCES `registrars`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`registrar_id` integer NOT NULL,
	`notification_id` integer,
	`created_at` text NOT NULL,
	`waits_since` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`attempted_at` text,
	`outcome` text,
	`delivered_at` text,
	`failed_at` text,
	FOREIGN KEY (`registrar_id`) REFERENCES `registrars`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`notification_id`) REFERENCES `notifications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_created_at` ON `webhook_deliveries` (`created_at`);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_notification_id` ON `webhook_deliveries` (`notification_id`);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_open` ON `webhook_deliveries` (`registrar_id`,`notification_id`) WHERE delivered_at is null and failed_at is null;
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_waiting` ON `webhook_deliveries` (`waits_since`) WHERE delivered_at is null and failed_at is null;
--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`caller` text NOT NULL,
	`key` text NOT NULL,
	`request_digest` text NOT NULL,
	`created_at` text NOT NULL,
	`outcome` text NOT NULL,
	PRIMARY KEY(`caller`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_created_at` ON `idempotency_keys` (`created_at`);
