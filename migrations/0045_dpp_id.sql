-- shard
alter table passport add column dpp_id text;   -- its identifier in another system, as it was sent; null: its address
