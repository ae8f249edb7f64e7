{# The books of closed months. docs/closing.md has the words. #}

{# The columns of the tables of the books, each with its type. Rows are only added to these tables. #}
{% macro book_columns(table) %}
  {%- set text, instant, amount = dbt.type_string(), ai_billing.type_utc(), ai_billing.type_decimal() -%}
  {%- set owners = {} -%}
  {%- for name in ai_billing.line_owners() %}{% do owners.update({name: text}) %}{% endfor -%}
  {%- set marks = {'month': 'date', 'kind': text, 'reason': text, 'day': 'date', 'method': text} -%}
  {%- set columns = {'close_id': text} -%}
  {%- if table == 'closes' -%}
    {%- do columns.update({'book_view': text, 'book_month': 'date', 'version': dbt.type_bigint(), 'closed_at': instant,
      'with_accruals': dbt.type_boolean(), 'why': text, 'data_as_of': instant, 'digest': text}) -%}
  {%- elif table == 'close_entries' -%}
    {%- do columns.update({'booked_by': text, 'reverses': text, 'book_view': text}) -%}
    {%- do columns.update(marks) -%}
    {%- do columns.update({'found_at': instant, 'record_id': text}) -%}
    {%- do columns.update(owners) -%}
    {%- do columns.update({'workspace_id': text, 'api_key_id': text, 'amount': amount, 'reporting_currency': text,
      'converted_amount': amount}) -%}
  {%- elif table == 'close_lines' -%}
    {%- do columns.update({'booked_by': text, 'reverses': text, 'book_view': text, 'book_month': 'date'}) -%}
    {%- do columns.update(marks) -%}
    {%- do columns.update(owners) -%}
    {%- do columns.update({'reporting_currency': text, 'entries': dbt.type_bigint(), 'amount': amount, 'converted_amount': amount}) -%}
  {%- else -%}
    {%- do columns.update({'input': text}) -%}
    {%- for number in range(1, 10) %}{% do columns.update({'value_' ~ number: text}) %}{% endfor -%}
  {%- endif -%}
  {{ return(columns) }}
{% endmacro %}

{# The columns that say to whom the amount of a line belongs. #}
{% macro line_owners() %}
  {{ return(['account', 'base_url', 'service_provider_name', 'team', 'project_id', 'model_id', 'invoice_id', 'charge_category',
    'billing_currency']) }}
{% endmacro %}

{# The columns that say to whom a record belongs, without its team. #}
{% macro record_owners() %}
  {{ return(['account', 'base_url', 'service_provider_name', 'project_id', 'workspace_id', 'api_key_id', 'model_id', 'invoice_id',
    'charge_category', 'billing_currency']) }}
{% endmacro %}

{# A table of the books, without rows. It is made once, and nothing but the operation `close` adds rows. #}
{% macro book_table(table) -%}
select
  {%- for name, type in ai_billing.book_columns(table).items() %}
  cast(null as {{ type }}) as {{ name }}{{ ',' if not loop.last }}
  {%- endfor %}
from (select 1 as one) as nothing
where 1 = 0
{%- endmacro %}

{# A text as SQL writes it, in quotes. #}
{% macro text_literal(text) %}{{ return(adapter.dispatch('text_literal', 'ai_billing')(text)) }}{% endmacro %}
{% macro default__text_literal(text) %}{{ return("'" ~ text | replace("'", "''") ~ "'") }}{% endmacro %}
{# In these databases a backslash escapes the next character. BigQuery does not take two quotes for one. #}
{% macro spark__text_literal(text) %}{{ return("'" ~ text | replace('\\', '\\\\') | replace("'", "\\'") ~ "'") }}{% endmacro %}
{% macro bigquery__text_literal(text) %}{{ return(ai_billing.spark__text_literal(text)) }}{% endmacro %}
{% macro snowflake__text_literal(text) %}{{ return(ai_billing.spark__text_literal(text)) }}{% endmacro %}

{# A day as text, such as 2026-10-31. #}
{% macro day_text(day) %}{{ return(adapter.dispatch('day_text', 'ai_billing')(day)) }}{% endmacro %}
{% macro default__day_text(day) %}{{ ai_billing.as_text(day) }}{% endmacro %}
{% macro postgres__day_text(day) %}to_char({{ day }}, 'YYYY-MM-DD'){% endmacro %}
{# A cast would write it as the session's DATE_OUTPUT_FORMAT says. #}
{% macro snowflake__day_text(day) %}to_char({{ day }}, 'YYYY-MM-DD'){% endmacro %}

{# A decimal as text without zeros at its end, the same on each database. #}
{% macro amount_digits(amount) %}{{ return(adapter.dispatch('amount_digits', 'ai_billing')(amount)) }}{% endmacro %}
{% macro default__amount_digits(amount) -%}
  regexp_replace(regexp_replace({{ ai_billing.as_text(amount) }}, '([.][0-9]*[1-9])0+$', '\\1'), '[.]0+$', '')
{%- endmacro %}
{% macro duckdb__amount_digits(amount) -%}
  regexp_replace(regexp_replace({{ ai_billing.as_text(amount) }}, '([.][0-9]*[1-9])0+$', '\1'), '[.]0+$', '')
{%- endmacro %}
{% macro postgres__amount_digits(amount) %}cast(trim_scale({{ amount }}) as text){% endmacro %}
{# In a replacement, Java writes a group as $1, and takes \1 for the digit 1. Without ANSI mode Spark writes an amount below 0.000001 as 1E-18. So this
   writes what is in front of the point and behind it as whole numbers. With 37 digits no difference loses one. #}
{% macro spark__amount_digits(amount) -%}
  {%- set size = 'cast(abs(' ~ amount ~ ') as decimal(37, 18))' -%}
  {%- set whole = 'cast(floor(' ~ size ~ ') as decimal(19, 0))' -%}
  {%- set rest = 'cast(' ~ size ~ ' - ' ~ whole ~ ' as decimal(18, 18)) * cast(1000000000000000000 as decimal(19, 0))' -%}
  regexp_replace(regexp_replace(
    concat(case when {{ amount }} < 0 then '-' else '' end, cast({{ whole }} as string), '.',
      lpad(cast(cast({{ rest }} as decimal(18, 0)) as string), 18, '0')),
    '([.][0-9]*[1-9])0+$', '$1'), '[.]0+$', '')
{%- endmacro %}
{# Redshift does not document groups in a replacement. There a decimal(38, 18) as text has 18 digits behind the point. #}
{% macro redshift__amount_digits(amount) %}rtrim(rtrim({{ ai_billing.as_text(amount) }}, '0'), '.'){% endmacro %}

{# The SHA-256 of a text in UTF-8, in hexadecimal. #}
{% macro sha256(text) %}{{ return(adapter.dispatch('sha256', 'ai_billing')(text)) }}{% endmacro %}
{% macro default__sha256(text) %}sha2({{ text }}, 256){% endmacro %}
{% macro duckdb__sha256(text) %}sha256({{ text }}){% endmacro %}
{% macro postgres__sha256(text) %}encode(sha256(convert_to({{ text }}, 'UTF8')), 'hex'){% endmacro %}
{% macro redshift__sha256(text) %}sha2({{ text }}, 256){% endmacro %}
{% macro bigquery__sha256(text) %}to_hex(sha256({{ text }})){% endmacro %}

{# The digest of each book: the SHA-256 of the digests of its lines, in the order of the digests. Null without lines. #}
{% macro book_digests(lines) -%}
  {%- set parts = [] -%}
  {%- for name, type in ai_billing.book_columns('close_lines').items() if name not in ['close_id', 'booked_by', 'reverses'] -%}
    {%- if type == 'date' -%}{%- do parts.append(ai_billing.day_text(name)) -%}
    {%- elif name in ['amount', 'converted_amount'] -%}{%- do parts.append(ai_billing.amount_digits(name)) -%}
    {%- else -%}{%- do parts.append(ai_billing.as_text(name)) -%}{%- endif -%}
  {%- endfor -%}
  {{ ai_billing.digests_of('(select close_id, ' ~ ai_billing.sha256(ai_billing.key_of(parts)) ~ ' as line_digest from ' ~ lines ~ ')') }}
{%- endmacro %}

{# The digest of each book from the digests of its lines. #}
{% macro digests_of(lines) %}{{ return(adapter.dispatch('digests_of', 'ai_billing')(lines)) }}{% endmacro %}
{% macro default__digests_of(lines) -%}
  select close_id, {{ ai_billing.sha256(ai_billing.listed('line_digest')) }} as digest
  from {{ lines }} as digested
  group by close_id
{%- endmacro %}
{# A list of Redshift has at most 65,535 bytes, which is 1,008 digests. So a book with more than 1,000 lines is digested in parts, and its
   digest is that of the digests of its parts. #}
{% macro redshift__digests_of(lines) -%}
  select close_id, case when count(*) = 1 then max(part_digest) else {{ ai_billing.sha256(ai_billing.listed('part_digest', 'part')) }} end as digest
  from (
    select close_id, part, {{ ai_billing.sha256(ai_billing.listed('line_digest')) }} as part_digest
    from (
      select
        digested.*, ceil(row_number() over (partition by close_id order by line_digest) / 1000.0) as part
      from {{ lines }} as digested
    ) as numbered
    group by close_id, part
  ) as parts
  group by close_id
{%- endmacro %}

{# Texts of a group as a list with commas, in their own order or in that of another column. #}
{% macro listed(text, ordered_by=none) %}{{ return(adapter.dispatch('listed', 'ai_billing')(text, ordered_by or text)) }}{% endmacro %}
{% macro default__listed(text, ordered_by) %}{{ return(dbt.listagg(text, "','", 'order by ' ~ ordered_by)) }}{% endmacro %}
{# dbt's own macro for Spark knows no order. Only texts in their own order are listed there. #}
{% macro spark__listed(text, ordered_by) %}array_join(array_sort(collect_list({{ text }})), ','){% endmacro %}

{#
  Adds two teams to rows that have `close_id`, the book of their month, and the labels of a key, project and workspace. `team_now` is
  the team by the map in force. `team_frozen` is the team by the map that was frozen with the book, and by the map in force if the
  frozen one names none of the labels. Both are the teams on the `day` of the row.
#}
{% macro with_book_teams(rows) -%}
  {%- set labels = ai_billing.team_labels() -%}
  select
    named.*,
    named.team as team_now,
    coalesce({% for label in labels %}frozen_{{ label }}.team, {% endfor %}named.team) as team_frozen
  from (
    {{ ai_billing.with_team(rows) }}
  ) as named
  {%- for label in labels %}
  left join (
    select
      close_id, value_2 as value, value_3 as team, cast(value_4 as date) as first_day, cast(value_5 as date) as end_day
    from {{ ref('ai_billing_close_inputs') }}
    where input = 'teams' and value_1 = '{{ label }}'
  ) as frozen_{{ label }}
    on named.close_id = frozen_{{ label }}.close_id
    and named.{{ label }} = frozen_{{ label }}.value
    and (frozen_{{ label }}.first_day is null or named.day >= frozen_{{ label }}.first_day)
    and (frozen_{{ label }}.end_day is null or named.day < frozen_{{ label }}.end_day)
  {%- endfor %}
{%- endmacro %}

{#
  Adds the amount in the reporting currency to rows with a `day`, a `billing_currency` and an `amount`. `book` is the book of their month,
  whose currency and rates were frozen with it; or 'now', for those in force. Rates in force stand in for what a book does not have.
#}
{% macro with_book_rates(rows, book) -%}
  select
    rows_.*,
    currencies.reporting_currency,
    case
      when rows_.billing_currency = currencies.reporting_currency then rows_.amount
      else {{ ai_billing.times('rows_.amount', 'coalesce(frozen.rate, in_force.rate)') }}
    end as converted_amount
  from {{ rows }} as rows_
  left join {{ ref('ai_billing__book_currencies') }} as currencies on {{ book }} = currencies.rates_of
  {%- for name, rates_of in {'frozen': book, 'in_force': "'now'"}.items() %}
  left join {{ ref('ai_billing__book_rates') }} as {{ name }}
    on rows_.billing_currency = {{ name }}.from_currency
    and currencies.reporting_currency = {{ name }}.to_currency
    and {{ name }}.rates_of = {{ rates_of }}
    and rows_.day >= {{ name }}.first_day
    and rows_.day < {{ name }}.end_day
  {%- endfor %}
{%- endmacro %}

{# The rows of an input that a book freezes, as text. #}
{% macro frozen_input(input, values, rows) -%}
select
  close_id, '{{ input }}'
  {%- for number in range(9) %},
  {{ values[number] if number < values | length else ai_billing.as_text('null') }}
  {%- endfor %}
from {{ rows }}
cross join {{ ref('ai_billing_closes') }}
where digest is null
{%- endmacro %}

{# A day as text; null if it is the bound that stands for an open end. #}
{% macro bounded_day(day, bound) %}case when {{ day }} <> {{ bound }} then {{ ai_billing.day_text(day) }} end{% endmacro %}

{#
  The statements that write a book. A row of `ai_billing_closes` without a digest asks for the book. The last statement writes the
  digest, and only a book with a digest counts: a process that dies before leaves nothing that counts.
#}
{% macro close_statements() %}
  {%- set entries, lines = ai_billing.book_columns('close_entries'), ai_billing.book_columns('close_lines') -%}
  {%- set keys = lines.keys() | reject('in', ['day', 'entries', 'amount', 'converted_amount']) | list -%}
  {%- set first_day = ai_billing.bounded_day('first_day', ai_billing.first_of_days()) -%}
  {%- set end_day = ai_billing.bounded_day('end_day', ai_billing.last_of_days()) -%}
  {%- set line_day = "case when reason in ('not proven', 'estimate') then day end" -%}
  {%- set held = "close_id in (select close_id from " ~ ref('ai_billing_closes') ~ " where digest is null)" -%}
  {%- set statements = [] -%}
  {%- set statement -%}
insert into {{ ref('ai_billing_close_entries') }} ({{ entries.keys() | join(', ') }})
select {{ entries.keys() | join(', ') }} from {{ ref('ai_billing__book_closing') }}
  {%- endset -%}
  {%- do statements.append(statement) -%}
  {%- set statement -%}
insert into {{ ref('ai_billing_close_inputs') }} ({{ ai_billing.book_columns('close_inputs').keys() | join(', ') }})
{{ ai_billing.frozen_input('teams', ['label', 'value', 'team', first_day, end_day], ref('ai_billing__teams')) }}
union all
{{ ai_billing.frozen_input('accounts', ['account', 'base_url'],
  "(select distinct account, base_url from " ~ ref('completeness') ~ " where dataset = 'costs') as accounts") }}
union all
{{ ai_billing.frozen_input('reporting_currency', ['currency'], ref('ai_billing__reporting_currency')) }}
union all
{{ ai_billing.frozen_input('exchange_rates', ['from_currency', 'to_currency', ai_billing.day_text('valid_from'),
  ai_billing.amount_digits('rate')], ref('ai_billing__exchange_rates')) }}
union all
{{ ai_billing.frozen_input('shared', [ai_billing.as_text('rule_'), 'label', 'value', 'method', 'team', 'billing_currency',
  ai_billing.amount_digits('part'), first_day, end_day], ref('ai_billing__shared_rules')) }}
  {%- endset -%}
  {%- do statements.append(statement) -%}
  {%- set statement -%}
insert into {{ ref('ai_billing_close_lines') }} ({{ keys | join(', ') }}, day, entries, amount, converted_amount)
select
  {{ keys | join(', ') }}, line_day, count(*), sum(amount),
  case when count(*) = count(converted_amount) then sum(converted_amount) end
from (
  select entries.*, closes.book_month, {{ line_day }} as line_day
  from {{ ref('ai_billing_close_entries') }} as entries
  inner join (
    select close_id as open_id, book_month from {{ ref('ai_billing_closes') }} where digest is null
  ) as closes on entries.close_id = closes.open_id
) as entries
group by {{ keys | join(', ') }}, line_day
  {%- endset -%}
  {%- do statements.append(statement) -%}
  {%- set statement -%}
update {{ ref('ai_billing_closes') }}
set
  data_as_of = (select max(as_of) from {{ ref('completeness') }} where dataset = 'costs'),
  digest = coalesce(
    (
      select max(digest)
      from (
        {{ ai_billing.book_digests(ref('ai_billing_close_lines')) }}
      ) as digests
      where {{ held }}
    ),
    {{ ai_billing.sha256("''") }})
where digest is null
  {%- endset -%}
  {%- do statements.append(statement) -%}
  {{ return(statements) }}
{% endmacro %}

{# The statements that remove the rows of a close that was stopped before its end. #}
{% macro unfinished_statements() %}
  {%- set held = "close_id in (select close_id from " ~ ref('ai_billing_closes') ~ " where digest is null)" -%}
  {%- set statements = [] -%}
  {%- for table in ['close_entries', 'close_lines', 'close_inputs'] -%}
    {%- do statements.append("delete from " ~ ref('ai_billing_' ~ table) ~ " where " ~ held) -%}
  {%- endfor -%}
  {%- do statements.append("delete from " ~ ref('ai_billing_closes') ~ " where digest is null") -%}
  {{ return(statements) }}
{% endmacro %}

{# An amount of 0. #}
{% macro zero() %}cast(0 as {{ ai_billing.type_decimal() }}){% endmacro %}

{# How a close is named: its view, month and version. #}
{% macro close_id_of(book_view, month, version) %}{{ return(book_view ~ ' ' ~ month ~ ' v' ~ version) }}{% endmacro %}

{#
  Closes a month, as `source-ai-billing close` does. Run it after `dbt build`:

      dbt run-operation ai_billing.close --args '{month: 2026-10, by: month}'
      dbt run-operation ai_billing.close --args '{month: 2026-10, by: billing-period, accrue: true}'
      dbt run-operation ai_billing.close --args '{month: 2026-10, by: month, reopen: true, why: "a credit was missing"}'

  The books are in tables that no run and no `--full-refresh` changes. It fails, and books nothing, while days of the month are not
  proven or provisional, unless `accrue` is true.
#}
{% macro close(month, by, accrue=false, reopen=false, why=none) %}
  {%- set month = (month | string)[:7] -%}
  {%- if not modules.re.match('[1-9][0-9]{3}-(0[1-9]|1[0-2])$', month) -%}
    {{ exceptions.raise_compiler_error('close needs a month such as 2026-10, and "' ~ month ~ '" is none') }}
  {%- elif by not in ['month', 'billing-period'] -%}
    {{ exceptions.raise_compiler_error('close needs by: month, or by: billing-period') }}
  {%- elif reopen and not why -%}
    {{ exceptions.raise_compiler_error('a month is closed again for a reason: say why') }}
  {%- elif why and not reopen -%}
    {{ exceptions.raise_compiler_error('why belongs to reopen: true') }}
  {%- endif -%}
  {%- for statement in ai_billing.unfinished_statements() -%}{%- do ai_billing.run_and_commit(statement) -%}{%- endfor -%}
  {%- set day = "cast('" ~ month ~ "-01' as date)" -%}
  {%- set found = run_query("select coalesce(max(version), 0) from " ~ ref('ai_billing_closes') ~ " where book_view = '" ~ by
    ~ "' and book_month = " ~ day).columns[0].values()[0] | int -%}
  {%- set version = [found + 1, 2] | max if reopen else 1 -%}
  {%- set close_id = ai_billing.close_id_of(by, month, version) -%}
  {%- set now = "cast('" ~ modules.datetime.datetime.now(modules.pytz.utc).strftime('%Y-%m-%d %H:%M:%S.%f') ~ "' as "
    ~ ai_billing.type_utc() ~ ")" -%}
  {%- set reason = ai_billing.text_literal(why | string) if why else 'null' -%}
  {%- do ai_billing.run_and_commit("insert into " ~ ref('ai_billing_closes')
    ~ " (close_id, book_view, book_month, version, closed_at, with_accruals, why) values ('" ~ close_id ~ "', '" ~ by ~ "', " ~ day
    ~ ", " ~ version ~ ", " ~ now ~ ", " ~ (accrue | string | lower) ~ ", " ~ reason ~ ")") -%}
  {%- set obstacles = run_query("select month, day, account, why from " ~ ref('ai_billing__book_obstacles')
    ~ (" where not is_accruable" if accrue else "") ~ " order by number_, month, day, account") -%}
  {%- if obstacles.rows | length > 0 -%}
    {%- for statement in ai_billing.unfinished_statements() -%}{%- do ai_billing.run_and_commit(statement) -%}{%- endfor -%}
    {%- set named = [] -%}
    {%- for row in obstacles.rows -%}
      {%- do named.append((row[1] or row[0]) ~ (' of ' ~ row[2] if row[2] else '') ~ ' (' ~ row[3] ~ ')') -%}
    {%- endfor -%}
    {{ exceptions.raise_compiler_error(month ~ ' by ' ~ by ~ ' is not closed: ' ~ named | join(', ')) }}
  {%- endif -%}
  {%- for statement in ai_billing.close_statements() -%}{%- do ai_billing.run_and_commit(statement) -%}{%- endfor -%}
  {{ log(close_id ~ ' is written', info=true) }}
{% endmacro %}

{# dbt does not commit after an operation. On databases where a connection begins a transaction, the operation has to commit. #}
{% macro run_and_commit(statement) %}
  {%- if adapter.type() in ('postgres', 'redshift') -%}
    {%- do run_query('begin; ' ~ statement ~ '; commit;') -%}
  {%- else -%}
    {%- do run_query(statement) -%}
  {%- endif -%}
{% endmacro %}
