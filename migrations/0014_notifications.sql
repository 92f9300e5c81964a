CREATE TABLE `notifications` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`registrar_id` integer NOT NULL,
	`event` text NOT NULL,
	`text` text NOT NULL,
	`contact_code` text NOT NULL,
	`fields` text NOT NULL,
	`created_at` text NOT NULL,
	`read_at` text,
	FOREIGN KEY (`registrar_id`) REFERENCES `registrars`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "notifications_event" CHECK("notifications"."event" in ('contact.updated', 'contact.deleted')),
	CONSTRAINT "notifications_fields" CHECK(json_valid("notifications"."fields"))
);
--> statement-breakpoint
CREATE INDEX `notifications_unread` ON `notifications` (`registrar_id`,`id`) WHERE read_at is null;--> statement-breakpoint
CREATE INDEX `notifications_read` ON `notifications` (`read_at`) WHERE read_at is not null;