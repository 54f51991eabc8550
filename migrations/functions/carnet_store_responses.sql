-- Stores the responses of creates with an Idempotency-Key, and returns [id, reason] of those whose key is taken. It waits at
-- most 200 ms for a transaction with the same key, because other requests share the statement. Keys are looked up by a list:
-- with old statistics, a join read all keys of all accounts for each create.
create or replace function public.carnet_store_responses(models jsonb) returns jsonb language plpgsql as $$
declare
  accounts integer[];
  keys text[];
  stored jsonb;
  rejected jsonb;
begin
  perform set_config('lock_timeout', '200ms', true);
  insert into idempotency_key (created_at, account_id, fingerprint, key, status, headers, body)
  select i.at, i.account_id, decode(i.idempotency->>'fingerprint', 'hex'), i.idempotency->>'key',
    (i.idempotency->>'status')::smallint, i.idempotency->'headers', i.idempotency->>'body'
  from jsonb_to_recordset(models) as i(account_id integer, at timestamptz, idempotency jsonb)
  where i.idempotency is not null order by i.account_id, i.idempotency->>'key'
  on conflict (account_id, key) do update set created_at = excluded.created_at, fingerprint = excluded.fingerprint,
    status = excluded.status, headers = excluded.headers, body = excluded.body
    where idempotency_key.created_at at time zone 'UTC' <= excluded.created_at at time zone 'UTC' - interval '24 hours';
  perform set_config('lock_timeout', '0', true);
  select array_agg(distinct i.account_id), array_agg(distinct i.idempotency->>'key') into accounts, keys
  from jsonb_to_recordset(models) as i(account_id integer, idempotency jsonb) where i.idempotency is not null;
  select jsonb_object_agg(k.account_id || ' ' || k.key, k.body) into stored
  from idempotency_key k where k.account_id = any(accounts) and k.key = any(keys);
  -- A stored body that equals ours was stored by us: it contains the id of the new product.
  select jsonb_agg(jsonb_build_array(i.id, 'key_taken')) into rejected
  from jsonb_to_recordset(models) as i(id uuid, account_id integer, idempotency jsonb)
  where i.idempotency is not null
    and stored->>(i.account_id || ' ' || (i.idempotency->>'key')) is distinct from i.idempotency->>'body';
  return coalesce(rejected, '[]');
end $$;
