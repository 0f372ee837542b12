-- Keys that wait to be merged into an index: housekeeping does that every second, and no purchase has to.
ALTER INDEX customers_search SET (gin_pending_list_limit = 4096);
ALTER INDEX bulk_orders_search SET (gin_pending_list_limit = 4096);
ALTER INDEX orders_search SET (gin_pending_list_limit = 4096);
ALTER INDEX fedex_orders_search SET (gin_pending_list_limit = 4096);
ALTER INDEX invoices_search SET (gin_pending_list_limit = 4096);
ALTER INDEX tracking_codes_search SET (gin_pending_list_limit = 4096);
ALTER INDEX logs_search SET (gin_pending_list_limit = 4096);
ALTER INDEX code_batches_search SET (gin_pending_list_limit = 4096);
ALTER INDEX unusual_events_search SET (gin_pending_list_limit = 4096);
ALTER INDEX approvals_search SET (gin_pending_list_limit = 4096);
