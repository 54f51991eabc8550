-- How many units have each content, so that what a correction reaches is known without counting a million of them.
create table content_units (
  account_id integer not null,
  content_id uuid not null,
  n          bigint not null,
  primary key (account_id, content_id)
);

insert into content_units (account_id, content_id, n)
select account_id, content_id, count(*) from passport where parent_id is not null group by account_id, content_id;

-- The batches of a model, without walking its items.
create index passport_batches on passport (account_id, parent_id) where level = 'b';

-- The units that have fields of their own, for telling where those win over a correction.
create index passport_own on passport (account_id, model_id) where own is not null and parent_id is not null;
