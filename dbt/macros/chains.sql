{#
  The chains of each place (R9). A place is an account at an address. A chain names one state of the connector's stream: when the
  stream is cleared, a new chain begins. So a place may have several chains, and each newer chain should continue the older ones.

  A newer chain has taken over from an older one if it returned a record that the older one had returned. A deduplicated table
  keeps such a record only under the newer chain. There the newer chain has taken over if most rows of the older chain are missing,
  on the days that both chains have read.

  If a chain was not taken over, or if an older chain goes on after a newer one has begun, two accounts write into one table
  without a label. Each chain is then a scope of its own, and no day of them is proven. The ids of readings tell the order of chains:
  the provider's clock may have been put back before the stream was cleared.
#}
{% macro chains_of(dataset) %}
with reports as (
  select * from {{ ref('ai_billing__manifest') }} where dataset = '{{ dataset }}'
),

rows_ as (
  select reading_id, record_id, day from {{ ref('ai_billing__rows_' ~ dataset) }}
),

chains as (
  select
    place, chain, max(account) as account, max(base_url) as base_url,
    min(reading_id) as first_reading_id, max(reading_id) as last_reading_id
  from reports
  group by place, chain
),

pairs as (
  select
    older.place, older.chain, newer.chain as newer_chain,
    older.last_reading_id > newer.first_reading_id as takes_turns
  from chains as older
  inner join chains as newer
    on older.place = newer.place and older.first_reading_id < newer.first_reading_id
),

readings as (
  select distinct reports.place, reports.chain, reports.reading_id
  from reports
  inner join (select distinct place from pairs) as several on reports.place = several.place
),

had as (
  select distinct readings.place, readings.chain, rows_.record_id
  from readings
  inner join rows_ on readings.reading_id = rows_.reading_id
),

shared as (
  select distinct pairs.place, pairs.chain, pairs.newer_chain
  from pairs
  inner join had as older on pairs.place = older.place and pairs.chain = older.chain
  inner join had as newer
    on pairs.place = newer.place and pairs.newer_chain = newer.chain and older.record_id = newer.record_id
),

newest as (
  select *
  from (
    select
      reports.place, reports.chain, reports.day, reports.rows_reading_id, reports.standing_rows,
      row_number() over (
        partition by reports.place, reports.chain, reports.day order by reports.reading_id desc
      ) as age
    from reports
    inner join (select distinct place from pairs) as several on reports.place = several.place
    where reports.inside_window
  ) as numbered
  where age = 1
),

arrived as (
  select reading_id, day, count(distinct record_id) as rows_
  from rows_
  where reading_id in (select rows_reading_id from newest)
  group by reading_id, day
),

standing as (
  select newest.place, newest.chain, newest.day, newest.standing_rows, coalesce(arrived.rows_, 0) as rows_
  from newest
  left join arrived on newest.rows_reading_id = arrived.reading_id and newest.day = arrived.day
),

left_ as (
  select
    pairs.place, pairs.chain, pairs.newer_chain,
    sum(standing.rows_) as rows_,
    sum(case when newer.day is not null then standing.standing_rows else 0 end) as common_standing_rows,
    sum(case when newer.day is not null then standing.rows_ else 0 end) as common_rows
  from pairs
  inner join standing on pairs.place = standing.place and pairs.chain = standing.chain
  left join standing as newer
    on pairs.place = newer.place and pairs.newer_chain = newer.chain and standing.day = newer.day
  group by pairs.place, pairs.chain, pairs.newer_chain
),

judged as (
  select
    pairs.place, pairs.chain,
    max(case when pairs.takes_turns then 1 else 0 end) as takes_turns,
    max(case
      when shared.chain is not null then 1
      when coalesce(left_.rows_, 0) = 0 then 1
      when 2 * left_.common_rows < left_.common_standing_rows then 1
      else 0
    end) as is_taken_over
  from pairs
  left join shared
    on pairs.place = shared.place and pairs.chain = shared.chain and pairs.newer_chain = shared.newer_chain
  left join left_
    on pairs.place = left_.place and pairs.chain = left_.chain and pairs.newer_chain = left_.newer_chain
  group by pairs.place, pairs.chain
),

disputed as (
  select distinct place from judged where takes_turns = 1 or is_taken_over = 0
)

select
  chains.place, chains.chain, chains.account, chains.base_url,
  disputed.place is not null as is_disputed,
  case when disputed.place is not null then {{ dbt.concat(['chains.place', "' '", 'chains.chain']) }} else chains.place end
    as scope
from chains
left join disputed on chains.place = disputed.place
{% endmacro %}
