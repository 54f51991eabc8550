-- shard
-- Entries of daily trees that bind a commitment to its passport and version. A block has either these, or the
-- commitments alone (format 1); a tree has blocks of one kind. The constraint stops a server of the version
-- before from writing commitments into a block of the new kind.
alter table daily_root_block add column entries bytea;   -- 32 bytes each; null: format 1
alter table daily_root_block add constraint daily_root_block_one_format
  check (entries is null or commitments = '');
