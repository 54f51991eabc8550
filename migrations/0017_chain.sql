-- formerly 8b4f1dd63a589baee36903682fc0156ef017aae82a9bd777c52d47a766d98bfe
-- Tamper evidence: each version carries the hash of what it says and of the version before. What is hashed is text, one
-- fact a line, so that whoever has an export can work it out again; docs/backup.md has the recipe.

create aggregate carnet_chain(bytea, text) (sfunc = carnet_chain_step, stype = bytea);

-- A rewrite by `using` reaches the rows that no update may.
alter table content add column hash bytea;
alter table content alter column hash type bytea using carnet_content_hash(owner_id, upto, model_upto, own_fields, data);
alter table content alter column hash set not null;

create trigger content_is_sealed before insert on content for each row when (new.hash is null)
execute function carnet_seal_content();

alter table passport_version add column hash bytea;
alter table passport_version disable trigger version_is_kept;
update passport_version v set hash = made.hash
from (
  select w.passport_id, w.version_no, w.account_id,
    carnet_chain(carnet_birth_hash(p.id, p.level, p.category, p.model_id, p.parent_id, p.lot, p.serial),
      carnet_version_facts(w.version_no, w.kind, w.created_at, w.created_by, c.hash, w.own, w.note, w.changed))
      over (partition by w.passport_id, w.account_id order by w.version_no) as hash
  from passport_version w
  join passport p on p.id = w.passport_id and p.account_id = w.account_id
  join content c on c.id = w.content_id and c.account_id = w.account_id
) made
where made.passport_id = v.passport_id and made.version_no = v.version_no and made.account_id = v.account_id;
alter table passport_version enable trigger version_is_kept;
alter table passport_version alter column hash set not null;
