-- shared
-- How many pictures and documents an account may store, and how many bytes as they were sent. Null: unlimited.
alter table plan add column media_file_quota bigint;
alter table plan add column media_byte_quota bigint;
update plan set media_file_quota = 50,     media_byte_quota = 200000000    where id = 'free';
update plan set media_file_quota = 5000,   media_byte_quota = 10000000000  where id = 'beta';
update plan set media_file_quota = 10000,  media_byte_quota = 20000000000  where id = 'pro';
update plan set media_file_quota = 100000, media_byte_quota = 200000000000 where id = 'business';
