-- Notifications may be of any event: which there are is for the code to say. Deliveries refer to the table and would go
-- with it, so they are rebuilt as well.
CREATE TABLE `__new_notifications` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`registrar_id` integer NOT NULL,
	`event` text NOT NULL,
	`text` text NOT NULL,
	`subject_key` text NOT NULL,
	`fields` text NOT NULL,
	`created_at` text NOT NULL,
	`read_at` text,
	FOREIGN KEY (`registrar_id`) REFERENCES `registrars`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "notifications_fields" CHECK(json_valid("__new_notifications"."fields"))
);
--> statement-breakpoint
INSERT INTO `__new_notifications`("id", "registrar_id", "event", "text", "subject_key", "fields", "created_at", "read_at") SELECT "id", "registrar_id", "event", "text", "subject_key", "fields", "created_at", "read_at" FROM `notifications`;--> statement-breakpoint
-- An id is not used again, even if the newest notifications were deleted.
DELETE FROM `sqlite_sequence` WHERE `name` = '__new_notifications';--> statement-breakpoint
INSERT INTO `sqlite_sequence`("name", "seq") SELECT '__new_notifications', "seq" FROM `sqlite_sequence` WHERE `name` = 'notifications';--> statement-breakpoint
CREATE TABLE `__new_webhook_deliveries` (
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
	FOREIGN KEY (`notification_id`) REFERENCES `__new_notifications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_webhook_deliveries`("id", "registrar_id", "notification_id", "created_at", "waits_since", "attempts", "attempted_at", "outcome", "delivered_at", "failed_at") SELECT "id", "registrar_id", "notification_id", "created_at", "waits_since", "attempts", "attempted_at", "outcome", "delivered_at", "failed_at" FROM `webhook_deliveries`;--> statement-breakpoint
DROP TABLE `webhook_deliveries`;--> statement-breakpoint
DROP TABLE `notifications`;--> statement-breakpoint
ALTER TABLE `__new_notifications` RENAME TO `notifications`;--> statement-breakpoint
ALTER TABLE `__new_webhook_deliveries` RENAME TO `webhook_deliveries`;--> statement-breakpoint
CREATE INDEX `notifications_unread` ON `notifications` (`registrar_id`,`id`) WHERE read_at is null;--> statement-breakpoint
CREATE INDEX `notifications_read` ON `notifications` (`read_at`) WHERE read_at is not null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_created_at` ON `webhook_deliveries` (`created_at`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_notification_id` ON `webhook_deliveries` (`notification_id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_open` ON `webhook_deliveries` (`registrar_id`,`notification_id`) WHERE delivered_at is null and failed_at is null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_waiting` ON `webhook_deliveries` (`waits_since`) WHERE delivered_at is null and failed_at is null;
