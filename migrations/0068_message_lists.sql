-- shard
-- A second status list of each issuer says which documents are not the last word any more: their passport was recalled or
-- archived, or has a newer version. It is signed in two forms.
alter table signed_status_list drop constraint signed_status_list_form_check;

alter table signed_status_list
  add constraint signed_status_list_form_check check (form in ('vc', 'vc-jwt', 'token', 'message-vc', 'message-vc-jwt'));
