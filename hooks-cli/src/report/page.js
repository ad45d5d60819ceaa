'use strict';
// Everything that this shows is text of others: it becomes text nodes, never markup.
const data = JSON.parse(document.getElementById('data').textContent);
const at = (id) => document.getElementById(id);
const FIRST_STORIES = 10, MORE_STORIES = 40, FIRST_ROWS = 12;

function make(name, fields, ...children) {
  const element = document.createElement(name);
  Object.assign(element, fields);
  element.append(...children);
  return element;
}

function draw(name, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const count = (number) => number.toLocaleString('en-US');
const counted = (number, one, more) => `${count(number)} ${number === 1 ? one : more}`;
function dollars(micro) {
  if (!micro) return '$0';
  return micro < 1e4 ? '<$0.01' : '$' + (micro / 1e6).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
// Calls of models may have tokens and no cost.
const spent = (row, unknown) => !row.unpriced ? dollars(row.cost) : row.cost ? `≥ ${dollars(row.cost)}` : unknown;
const brief = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const large = (number) => number < 1e6 ? count(number) : brief.format(number);
const MINUTE = 60000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
// A time of the log can be any number, and a date cannot.
const date = (ms) => new Date(Math.min(ms, 8.64e15));
const form = (options) => { const format = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options }); return (ms) => format.format(date(ms)); };
const clock = form({ hour: '2-digit', minute: '2-digit' });
const second = form({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
const short = form({ day: 'numeric', month: 'short' });
const day = form({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const whole = form({ day: 'numeric', month: 'long', year: 'numeric' });
const year = form({ year: 'numeric' });
const month = form({ month: 'short', year: 'numeric' });
const moment = (ms) => ms ? `${short(ms)} ${clock(ms)}` : '';
const WORDS = { deny: 'denied', ask: 'asked', question: 'question' };
const word = (outcome) => WORDS[outcome] || 'not stopped';
const ms = (value) => value < 1000 ? `${count(Math.round(value))} ms` : `${(value / 1000).toLocaleString('en-US', { maximumFractionDigits: 1 })} s`;

function about() {
  // The parts that both days have are written once.
  const first = whole(data.first).split(' '), last = whole(data.last).split(' ');
  while (first.length && first[first.length - 1] === last[first.length - 1]) first.pop();
  at('title').textContent = !data.records ? 'No records' : !data.times.parts.length ? 'No events' : [first.join(' '), last.join(' ')].filter(Boolean).join(' to ');
  document.title = [data.project, 'hooks report'].filter(Boolean).join(' · ');
  const parts = [counted(data.records, 'record', 'records')];
  if (data.first) parts.push(`${moment(data.first)} to ${moment(data.last)}`);
  if (data.since) parts.push(`since ${data.since}`);
  if (data.until) parts.push(`until ${data.until}`);
  at('about').append(parts.join(' · ') + ' · all times are UTC · log ', make('code', {}, data.log));
  const sums = data.sums;
  const shown = [
    ['calls', large(sums.calls)], ['calls denied', large(sums.denied_calls), 'deny'], ['calls asked about', large(sums.asked_calls), 'ask'],
    ['calls failed', large(sums.failed_calls)], ['spent', spent(sums, 'not known')], ['tokens in', brief.format(sums.tokens_in)],
    ['tokens out', brief.format(sums.tokens_out)],
    // Of events that are no calls, such as messages and permissions.
    ['other events denied', large(sums.denied - sums.denied_calls), 'deny'], ['other events asked about', large(sums.asked - sums.asked_calls), 'ask'],
    ['errors elsewhere', large(sums.errors)],
  ].filter(([, value], of) => of < 7 || value !== '0');
  const isNone = (value) => ['0', '$0'].includes(value);
  at('sums').append(...shown.map(([name, value, kind]) =>
    make('div', {}, make('dt', {}, name), make('dd', { className: value === 'not known' ? 'none word' : isNone(value) ? 'none' : kind || '' }, value))));
  at('damage').hidden = !data.damage.length;
  at('damage').lastChild.append(...data.damage.map((text) => make('li', {}, ...coded(text))));
  at('left').append(...data.left_out.map((text) => make('li', {}, ...coded(text))));
}

function length(ms) {
  const [unit, name] = [[DAY, 'day'], [HOUR, 'hour'], [MINUTE, 'minute']].find(([unit]) => ms % unit === 0) || [1, 'millisecond'];
  return ms === unit ? `a ${name}`.replace('a h', 'an h') : `${count(ms / unit)} ${name}s`;
}

// The smallest of 1, 2, 5, 10, 20, ... that is not below the number.
function round(number) {
  const power = 10 ** Math.floor(Math.log10(Math.max(number, 1e-9)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= number * 0.999999) || number;
}

// Times of the axis with their texts, at most one for each 90 pixels.
function ticks(first, last, width) {
  const least = (last - first) / Math.max(Math.floor(width / 90), 1);
  const steps = [1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080].map((minutes) => minutes * MINUTE);
  const step = steps.find((step) => step >= least) || Math.ceil(least / DAY) * DAY;
  const text = step < DAY ? (ms) => ms % DAY ? clock(ms) : short(ms) : step < 28 * DAY ? short : step < 365 * DAY ? month : year;
  const all = [];
  for (let ms = Math.ceil(first / step) * step; ms <= last && all.length < 100; ms += step) all.push([ms, text(ms)]);
  return all;
}

// The time of all charts, from the first of their parts to the end of the last one.
const AXIS = { first: 0, last: 1 };
if (data.times.parts.length) [AXIS.first, AXIS.last] = [data.times.parts[0][0], data.times.parts.at(-1)[0] + data.times.length_ms];

// Charts with one axis of time: [label, series of [class, column, word], text of a value, least of the axis].
const CHARTS = [
  ['Calls', [['calls', 1, 'calls']], count, 1],
  ['Denials and questions', [['denials', 2, 'denied'], ['questions', 3, 'asked']], count, 1],
  ['Spent', [['spent', 4, 'spent']], dollars, 1e4],
];

function times() {
  const { length_ms, parts } = data.times;
  const LEFT = 56, ROOM = 96, LABEL = 26, GAP = 14;
  const { first, last } = AXIS;
  const slots = Math.max(Math.round((last - first) / length_ms), 1);
  const full = Math.max(at('times').clientWidth, 240), width = full - LEFT - 8;
  const x = (ms) => LEFT + (ms - first) / (last - first) * width;
  const step = width / slots, wide = Math.max(Math.min(step - Math.min(step * 0.2, 2), 36), 1);
  const charts = CHARTS.filter(([, series], index) => index < 2 || parts.some((part) => series.some(([, column]) => part[column])));
  const height = charts.length * (LABEL + ROOM + GAP) + 12;
  const sums = data.sums;
  const svg = draw('svg', { viewBox: `0 0 ${full} ${height}`, width: full, height, role: 'img',
    'aria-label': `By time: ${counted(sums.calls, 'call', 'calls')}, ${count(sums.denied)} denied, ${count(sums.asked)} asked, ${spent(sums, 'not known')} spent` });
  const write = (x, y, text, anchor, name) => svg.append(draw('text', { x, y, 'text-anchor': anchor || 'start', class: name || '' }, text));
  const marks = ticks(first, last, width);
  const bars = new Map(parts.map((part) => [part[0], []]));
  charts.forEach(([label, series, text, least], index) => {
    const top = index * (LABEL + ROOM + GAP) + LABEL, bottom = top + ROOM;
    const sum = (part) => series.reduce((sum, [, column]) => sum + part[column], 0);
    const most = round(Math.max(...parts.map(sum), least));
    const levels = Number.isInteger(most / least / 2) ? [0, most / 2, most] : [0, most];
    for (const level of levels) {
      const y = bottom - level / most * ROOM;
      svg.append(draw('line', { class: 'grid', x1: LEFT, x2: LEFT + width, y1: y, y2: y }));
      write(LEFT - 8, y + 4, text === count && level >= 1e4 ? brief.format(level) : text(level), 'end');
    }
    write(0, top - 12, label, 'start', 'label');
    let legend = full - 8;
    for (const [name, , what] of series.length > 1 ? [...series].reverse() : []) {
      write(legend, top - 12, what, 'end');
      legend -= what.length * 7 + 16;
      svg.append(draw('rect', { class: name, x: legend, y: top - 21, width: 10, height: 10, rx: 2 }));
      legend -= 14;
    }
    for (const part of parts) {
      let base = bottom;
      for (const [name, column] of series) {
        if (!part[column]) continue;
        const tall = Math.max(part[column] / most * ROOM, 1.5);
        base -= tall;
        bars.get(part[0]).push(draw('rect', { class: name, x: x(part[0]) + (step - wide) / 2, y: base, width: wide, height: tall }));
      }
    }
  });
  const bottom = height - 12 - GAP;
  for (const part of parts) {
    const title = `${moment(part[0])} UTC, ${length(length_ms)}: ` + charts.flatMap(([, series, text]) =>
      series.map(([, column, what]) => `${text(part[column])} ${what === 'calls' && part[column] === 1 ? 'call' : what}`)).join(', ');
    svg.append(draw('g', {}, draw('title', {}, title), ...bars.get(part[0]),
      draw('rect', { class: 'hit', x: x(part[0]), y: LABEL, width: step, height: bottom - LABEL })));
  }
  for (const [ms, text] of marks) {
    svg.append(draw('line', { class: 'grid', x1: x(ms), x2: x(ms), y1: bottom, y2: bottom + 5 }));
    const half = text.length * 3.4;
    write(Math.min(Math.max(x(ms), half), full - half), bottom + 19, text, 'middle');
  }
  at('times').replaceChildren(make('p', { className: 'note' }, `Each bar is ${length(length_ms)}, in UTC. Point at a bar for its numbers.`), svg);
}

// A name that chooses itself in the filter.
function choose(id, name, ...content) {
  const button = make('button', { type: 'button', className: 'link', title: 'Show only this' }, ...content);
  button.addEventListener('click', () => {
    const choice = at(id);
    if (![...choice.options].some((option) => option.value === name)) choice.append(make('option', { value: name }, name));
    choice.value = choice.value === name ? '' : name;
    filter();
    at('h-stories').focus({ preventScroll: true });
    at('h-stories').closest('section').scrollIntoView();
  });
  return button;
}

// A text whose words in backticks are code.
function coded(text) {
  const parts = text.split('`');
  return parts.length % 2 ? parts.map((part, of) => of % 2 ? make('code', {}, part) : part) : [text];
}

const ruleLink = (rule) => choose('f-rule', rule.name, make('code', {}, rule.name));
const RAN = { yes: 'ran afterwards', failed: 'ran afterwards and failed', no: 'did not run' };

// The reasons of a denial or a question of a rule; the one that the client was told first comes first.
function reasons(one) {
  const also = one.rules.slice(1).map((rule) =>
    make('li', {}, `also ${word(rule.outcome || one.outcome)} by `, ruleLink(rule), ...rule.reason ? [': ', ...coded(rule.reason)] : []));
  return [make('p', {}, ...coded(one.rules[0].reason || 'The record has no reason.')), ...also.length ? [make('ul', { className: 'also' }, ...also)] : []];
}

function story(one) {
  const rules = (one.rules || []).filter((rule) => rule.name);
  const next = one.next.map((call) => make('li', {}, 'then ', make('b', {}, call.tool), ' ', make('code', {}, call.asked ?? ''), ' ',
    make('span', { className: call.outcome || '' }, call.failed ? 'failed' : word(call.outcome))));
  if (!next.length) next.push(make('li', {}, `No call of ${one.agent ? 'this agent in' : ''} the session is recorded after it.`));
  const meta = make('p', { className: 'meta' }, `record ${one.position}`);
  if (one.session) meta.append(' · session ', choose('f-session', one.session, make('bdi', {}, one.session)));
  if (one.answered && one.answered !== one.outcome) meta.append(` · the client was answered ${one.answered}`);
  const isQuestion = one.outcome === 'question';
  return make('li', { className: 'story' },
    make('time', { dateTime: date(one.at).toISOString() }, second(one.at)),
    make('div', {},
      make('p', { className: 'head' }, make('span', { className: `badge ${one.outcome}` }, word(one.outcome)),
        make('span', { className: 'name' }, one.tool || one.event),
        one.agent ? make('span', {}, 'by ', choose('f-agent', one.agent, make('bdi', {}, one.agent))) : '',
        rules.length ? ruleLink(rules[0]) : '', one.outcome === 'ask' && one.ran ? make('span', { className: 'ran' }, RAN[one.ran]) : ''),
      make('code', { className: 'asked' }, one.asked ?? '(the record has no payload)'),
      ...isQuestion ? [make('p', {}, one.answer ? `Answer: ${one.answer}` : 'No answer is recorded.')] : reasons(one),
      make('ol', { className: 'next' }, ...next), meta));
}

// A column: its heading, its content for a row, and its class.
const number = (name, value) => [name, (row) => value(row) || '0', (row) => value(row) ? 'number' : 'number none'];
const label = (name, value) => [name, value, () => ''];
const named = (name) => label(name, (row) => make('code', {}, row.name));
const money = ['spent', (row) => spent(row, '—'), (row) => row.cost ? 'number' : 'number none'];

// A number with its share of the largest one.
function shared(name, rows, field) {
  const most = Math.max(...rows.map((row) => row[field]), 1);
  return [name, (row) => {
    const bar = make('div');
    bar.style.width = `${row[field] / most * 100}%`;
    const cell = document.createDocumentFragment();
    cell.append(count(row[field]), make('div', { className: 'share', ariaHidden: 'true' }, bar));
    return cell;
  }, () => 'number'];
}

let tables = 0;

// A table that shows its first rows, and all on demand. `matches` chooses rows.
function table(title, rows, columns, note, isWhole) {
  if (!rows.length && !note) return;
  const id = `h-table-${++tables}`;
  const kind = (of, row) => columns[of][2](row);
  const lines = rows.map((row) => make('tr', {}, ...columns.map(([, value], of) => make('td', { className: kind(of, row) }, value(row)))));
  const body = make('tbody', {}, ...lines);
  const head = make('tr', {}, ...columns.map(([name], of) => make('th', { scope: 'col', className: kind(of, {}).replace('none', '') }, name)));
  const all = make('button', { type: 'button', className: 'all' });
  let matches = () => true, isOpen = false;
  const show = () => {
    let left = isOpen ? Infinity : FIRST_ROWS, found = 0;
    rows.forEach((row, of) => {
      const fits = Boolean(matches(row));
      found += Number(fits);
      lines[of].hidden = !fits || left-- <= 0;
    });
    all.hidden = found <= FIRST_ROWS;
    all.textContent = isOpen ? `Show the first ${FIRST_ROWS}` : `Show all ${count(found)}`;
    none.hidden = found > 0;
    cut.hidden = isOpen || found <= FIRST_ROWS;
    cut.textContent = `The first ${FIRST_ROWS} of ${count(found)} rows.`;
  };
  all.addEventListener('click', () => { isOpen = !isOpen; show(); });
  const none = make('p', { className: 'empty', hidden: true }, 'None matches the filter.');
  const cut = make('p', { className: 'printed' });
  const scroll = make('div', { className: 'scroll' }, make('table', {}, make('thead', {}, head), body));
  scroll.firstChild.setAttribute('aria-labelledby', id);
  const section = make('section', { className: isWhole ? 'whole' : '' }, make('h2', { id }, title));
  section.setAttribute('aria-labelledby', id);
  if (note) section.append(make('p', { className: 'note' }, ...coded(note)));
  if (rows.length) section.append(scroll, none, cut, all);
  at('tables').append(section);
  show();
  return (choice) => { matches = choice; show(); };
}

function grouped(rows, field) {
  const groups = new Map();
  for (const row of rows) {
    if (!groups.has(row[field])) groups.set(row[field], []);
    groups.get(row[field]).push(row);
  }
  return (name) => groups.get(name) || [];
}

// When a session or an agent acted, on the axis of the charts, with its denials and questions above.
const place = (ms) => (ms - AXIS.first) / (AXIS.last - AXIS.first) * 100;
const KINDS = { deny: 'denials', ask: 'questions', question: 'calls' };

function when(row, parts, stories) {
  const line = (one) => draw('rect', { class: 'calls', x: place(one.first), y: 10, width: Math.max(place(one.last) - place(one.first), 0.6), height: 5 });
  const mark = (one) => draw('rect', { class: KINDS[one.outcome], x: Math.max(place(one.at) - 0.25, 0), y: 0, width: 0.5, height: 7 });
  const what = `${moment(row.first)} to ${moment(row.last)} UTC`;
  return draw('svg', { viewBox: '0 0 100 16', preserveAspectRatio: 'none', role: 'img', 'aria-label': what },
    draw('title', {}, what), draw('rect', { class: 'track', x: 0, y: 12, width: 100, height: 1 }),
    ...(parts.length ? parts : [row]).map(line), ...stories.slice(0, 200).map(mark));
}

function axis() {
  const texts = ticks(AXIS.first, AXIS.last, 540).filter(([ms]) => place(ms) > 4 && place(ms) < 96).map(([ms, text]) => {
    const tick = make('span', {}, text);
    tick.style.left = `${place(ms)}%`;
    return tick;
  });
  return make('div', { className: 'axis' }, ...texts.length ? texts : [make('i', {}, `${moment(AXIS.first)} UTC`)]);
}

const some = (field) => (row) => row[field] ? count(row[field]) : '';

function sums(rows, parts, stories) {
  return [
    shared('calls', rows, 'calls'), number('denied', some('denied')), number('asked', some('asked')), money,
    ['last', (row) => moment(row.last), () => 'number extra'],
    [axis(), (row) => when(row, parts(row), stories(row.name)), () => 'when extra'],
  ];
}

const inAgent = grouped(data.sessions, 'agent');
const showSessions = table('Sessions', data.sessions, [
  label('session', (row) => choose('f-session', row.name, make('code', {}, row.name))), ['agent', (row) => make('bdi', {}, row.agent), () => 'extra'],
  ...sums(data.sessions, (row) => [row], grouped(data.stories, 'session')),
], data.sessions.length ? 'The line shows when each was active, with denials and questions above it. Events that are no calls count as denied and asked too.' : 'The log names no session.', true);
const showAgents = table('Agents', data.agents, [
  label('agent', (row) => choose('f-agent', row.name, make('code', {}, row.name))), number('sessions', some('sessions')),
  ...sums(data.agents, (row) => inAgent(row.name), grouped(data.stories, 'agent')),
], data.agents.length ? 'The line shows its sessions, as far as they are in the table above.' : 'The log names no agent.', true);

function examples(row) {
  return make('ul', {}, ...row.examples.map((one) => make('li', {}, make('b', {}, one.tool ?? ''), ' ', make('code', {}, one.call ?? '(erased)'),
    ' ', ...one.reason ? [...coded(one.reason), ' · '] : [], `${one.agent ? `${one.agent} · ` : ''}${one.position}`)));
}

function others() {
  const rule = label('rule', (row) => row.denied || row.asked ? ruleLink(row) : make('code', {}, row.name));
  table('Rules that decided', data.rules, [rule, shared('decided', data.rules, 'count'), number('denied', some('denied')), number('asked', some('asked'))],
    data.rules.length ? 'A call that several rules denied counts for each.' : 'No rule decided anything.');
  const never = data.never_fired, isPart = data.since || data.until;
  if (never) {
    table(isPart ? 'Rules that decided nothing in this time' : 'Rules that never decided', never,
      [label('rule', (row) => make('span', {}, make('code', {}, row.name), row.in_shadow ? ' in the shadow' : ''))],
      never.length ? '' : 'Every rule that is compared with the log decided something.');
  }
  const would = (outcome) => (row) => row.outcome === outcome ? count(row.count) : '';
  table('Rules in the shadow', data.would_have, [named('rule'), number('would have denied', would('deny')), number('would have asked', would('ask')),
    ['last', examples, () => 'examples']], data.would_have.length ? 'Rules with `mode: observe` stopped nothing.' : '', true);
  table('Tools', data.tools, [named('tool'), shared('calls', data.tools, 'count'), number('denied', some('denied')), number('failed', some('failed')),
    ['average', (row) => row.timed ? ms(row.total_ms / row.timed) : '–', () => 'number'], ['longest', (row) => row.timed ? ms(row.longest_ms) : '–', () => 'number']],
  data.tools.length ? '' : 'The log names no tool.');
  table('Models', data.models, [named('model'), shared('calls', data.models, 'count'), money]);
  table('Slowest calls', data.slow, [['took', (row) => ms(row.ms), () => 'number first'],
    label('call', (row) => make('span', {}, make('b', {}, row.tool), ' ', make('code', {}, row.asked), row.failed ? ' failed' : '')),
    ['session', (row) => row.session ? choose('f-session', row.session, make('code', {}, row.session)) : '', () => 'extra'],
    ['at', (row) => moment(row.at), () => 'number']], '', true);
  const root = data.root ? ` Names are relative to \`${data.root}\`.` : '';
  table('Files', data.files, [named('file'), number('read', (row) => row.count > row.written ? count(row.count - row.written) : ''), number('written', some('written')),
    shared('calls', data.files, 'count')], data.files.length ? `Files that calls named and no rule denied.${root}` : 'No call named a file.', true);
}

const texts = data.stories.map((one) => [one.asked, one.answer, ...(one.rules || []).flatMap((rule) => [rule.name, rule.reason]), one.tool,
  one.event, one.agent, one.session, one.position].filter(Boolean).join('\n').toLowerCase());
let found = data.stories, shown = 0;

function more() {
  const next = found.slice(shown, shown + (shown ? MORE_STORIES : FIRST_STORIES));
  let before = shown ? day(found[shown - 1].at) : '';
  for (const one of next) {
    const today = day(one.at);
    if (today !== before) at('stories').append(make('li', { className: 'day' }, today));
    before = today;
    at('stories').append(story(one));
  }
  shown += next.length;
  at('more').hidden = shown >= found.length;
  at('more').textContent = `Show ${Math.min(MORE_STORIES, found.length - shown)} more`;
  tell();
}

const chosen = () => ({ text: at('f-text').value.trim(), outcome: document.querySelector('[name=outcome]:checked').value,
  rule: at('f-rule').value, agent: at('f-agent').value, session: at('f-session').value });

// Says how many of the denials and questions are shown, and what was chosen, on paper too.
function tell() {
  const { text, outcome, ...names } = chosen(), all = data.stories.length, matching = found.length;
  const those = [text && `“${text}”`, outcome && word(outcome), ...Object.entries(names).map(([name, value]) => value && `${name} ${value}`)].filter(Boolean);
  const some = shown < matching ? `the last ${count(shown)} of ${count(matching)}` : matching === all ? `all ${count(all)}, the latest first` : count(matching);
  const of = matching === all ? '' : shown < matching ? ` that match, of ${count(all)}` : ` of ${count(all)} match`;
  at('found').textContent = [all ? some + of : '', ...those].filter(Boolean).join(' · ');
}

function filter() {
  const { outcome, rule, agent, session, ...typed } = chosen(), text = typed.text.toLowerCase();
  found = data.stories.filter((one, index) => (!agent || one.agent === agent) && (!session || one.session === session)
    && (!outcome || one.outcome === outcome) && (!text || texts[index].includes(text)) && (!rule || one.rules?.some(({ name }) => name === rule)));
  shown = 0;
  at('stories').replaceChildren();
  more();
  if (!found.length) {
    at('stories').append(make('li', { className: 'empty' }, data.stories.length ? 'None matches the filter.' : 'The log has no denials and no questions.'));
  }
  const inSessions = new Set(found.map((one) => one.session)), byAgents = new Set(found.map((one) => one.agent));
  const isOfStories = text || outcome || rule;
  if (session && !isOfStories) data.sessions.filter((row) => row.name === session).forEach((row) => byAgents.add(row.agent));
  const isNamed = (name) => text && !outcome && !rule && name.toLowerCase().includes(text);
  showSessions?.((row) => (!session || row.name === session) && (!agent || row.agent === agent || inSessions.has(row.name))
    && (!isOfStories || inSessions.has(row.name) || isNamed(row.name)));
  showAgents?.((row) => (!agent || row.name === agent) && (!session && !isOfStories || byAgents.has(row.name) || isNamed(row.name)));
}

function choices(id, names) {
  const all = [...new Set(names.filter(Boolean))].slice(0, 1000);
  at(id).append(make('option', { value: '' }, 'All'), ...all.map((name) => make('option', { value: name }, name)));
}

// A table that is wider than its place can be scrolled with the keys.
function scrolls() {
  for (const place of document.querySelectorAll('.scroll')) place.tabIndex = place.scrollWidth > place.clientWidth ? 0 : -1;
}

about();
at('page').hidden = !data.times.parts.length;
if (data.times.parts.length) {
  others();
  choices('f-rule', data.stories.flatMap((one) => (one.rules || []).map((rule) => rule.name)));
  choices('f-agent', [...data.agents.map((row) => row.name), ...data.stories.map((one) => one.agent)]);
  choices('f-session', [...data.sessions.map((row) => row.name), ...data.stories.map((one) => one.session)]);
  at('filter').addEventListener('input', filter);
  at('filter').addEventListener('submit', (event) => event.preventDefault());
  at('filter').addEventListener('reset', () => setTimeout(filter));
  at('more').addEventListener('click', more);
  filter();
  let width = 0;
  new ResizeObserver(() => {
    // What gets the focus is not below the filter.
    const isSticky = getComputedStyle(at('filter')).position === 'sticky';
    document.documentElement.style.scrollPaddingTop = isSticky ? `${at('filter').offsetHeight + 16}px` : '';
    if (at('times').clientWidth === width) return;
    width = at('times').clientWidth;
    times();
    scrolls();
  }).observe(at('times'));
}
