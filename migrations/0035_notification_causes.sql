ALTER TABLE `notifications` ADD `cause` text;--> statement-breakpoint
ALTER TABLE `webhook_deliveries` ADD `dropped_at` text;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_given_up` ON `webhook_deliveries` (`registrar_id`) WHERE failed_at is not null and dropped_at is null and notification_id is not null;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `held_until` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `retry_after` text;--> statement-breakpoint
-- Nobody need decide on what ended with its webhook.
UPDATE `webhook_deliveries` SET `dropped_at` = `failed_at` WHERE `outcome` = 'the registrar has no webhook any more';
