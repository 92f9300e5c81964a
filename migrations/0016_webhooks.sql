CREATE TABLE `webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`registrar_id` integer NOT NULL,
	`notification_id` integer,
	`created_at` text NOT NULL,
	`queued_at` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`attempted_at` text,
	`outcome` text,
	`delivered_at` text,
	`failed_at` text,
	FOREIGN KEY (`registrar_id`) REFERENCES `registrars`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`notification_id`) REFERENCES `notifications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_created_at` ON `webhook_deliveries` (`created_at`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_open` ON `webhook_deliveries` (`queued_at`) WHERE delivered_at is null and failed_at is null;--> statement-breakpoint
CREATE TABLE `webhooks` (
	`registrar_id` integer PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`secret` text NOT NULL,
	`created_at` text NOT NULL,
	FOREIGN KEY (`registrar_id`) REFERENCES `registrars`(`id`) ON UPDATE no action ON DELETE no action
);
