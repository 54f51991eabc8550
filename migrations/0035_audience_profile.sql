-- shared
-- Which audiences the fields of an account's passports have: those of the field table, or those that the law names.
alter table account add column audience_profile text not null default 'contract';
alter table account add constraint account_audience_profile check (audience_profile in ('contract', 'law'));
