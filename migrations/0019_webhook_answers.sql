DROP INDEX `webhook_deliveries_notification_id`;--> statement-breakpoint
DROP INDEX `webhook_deliveries_open`;--> statement-breakpoint
ALTER TABLE `webhook_deliveries` ADD `status` integer;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_of_registrar` ON `webhook_deliveries` (`registrar_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_notification` ON `webhook_deliveries` (`notification_id`,`registrar_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_open` ON `webhook_deliveries` (`registrar_id`,`delivered_at`,`failed_at`,`notification_id`) WHERE delivered_at is null and failed_at is null;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `gone_at` text;--> statement-breakpoint
UPDATE `webhook_deliveries` SET `status` = CAST(substr(`outcome`, 6) AS integer) WHERE `outcome` LIKE 'HTTP %';
