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
const dollars = (micro) => '$' + (micro / 1e6).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
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
const WORDS = { deny: 'denied', ask: 'asked', allow: 'allowed', no_opinion: 'passed' };
const word = (outcome) => WORDS[outcome] || outcome || '';

function about() {
  // The parts that both days have are written once.
  const first = whole(data.first).split(' '), last = whole(data.last).split(' ');
  while (first.length && first[first.length - 1] === last[first.length - 1]) first.pop();
  at('title').textContent = !data.records ? 'No records' : [first.join(' '), last.join(' ')].filter(Boolean).join(' to ');
  const parts = [`${count(data.records)} ${data.records === 1 ? 'record' : 'records'}`];
  if (data.records) parts.push(`${moment(data.first)} to ${moment(data.last)}`);
  if (data.since) parts.push(`since ${data.since}`);
  if (data.until) parts.push(`until ${data.until}`);
  at('about').append(parts.join(' · ') + ' · all times are UTC · log ', make('code', {}, data.log));
  const sums = data.sums;
  const shown = [
    ['calls', large(sums.calls)], ['denied', large(sums.denied), 'deny'], ['asked', large(sums.asked), 'ask'],
    ['failed', large(sums.failed)], ['spent', dollars(sums.cost)], ['tokens in', brief.format(sums.tokens_in)], ['tokens out', brief.format(sums.tokens_out)],
  ];
  at('sums').append(...shown.map(([name, value, kind]) =>
    make('div', {}, make('dt', {}, name), make('dd', { className: value === '0' ? 'none' : kind || '' }, value))));
  at('left').append(...data.left_out.map((text) => make('li', {}, text)));
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

// Charts with one axis of time: [label, series of [class, column, word], text of a value, least of the axis].
const CHARTS = [
  ['Calls', [['calls', 1, 'calls']], count, 1],
  ['Denials and questions', [['denials', 2, 'denied'], ['questions', 3, 'asked']], count, 1],
  ['Spent', [['spent', 4, 'spent']], dollars, 1e4],
];

function times() {
  const { length_ms, parts } = data.times;
  if (!parts.length) return at('times').replaceChildren(make('p', { className: 'empty' }, 'The log has no calls, denials or questions.'));
  const LEFT = 56, ROOM = 96, LABEL = 26, GAP = 14;
  const first = parts[0][0], last = parts[parts.length - 1][0] + length_ms;
  const slots = Math.max(Math.round((last - first) / length_ms), 1);
  const full = Math.max(at('times').clientWidth, 240), width = full - LEFT - 8;
  const x = (ms) => LEFT + (ms - first) / (last - first) * width;
  const step = width / slots, wide = Math.max(Math.min(step - Math.min(step * 0.2, 2), 36), 1);
  const charts = CHARTS.filter(([, series], index) => index < 2 || parts.some((part) => series.some(([, column]) => part[column])));
  const height = charts.length * (LABEL + ROOM + GAP) + 12;
  const sums = data.sums;
  const svg = draw('svg', { viewBox: `0 0 ${full} ${height}`, width: full, height, role: 'img',
    'aria-label': `By time: ${count(sums.calls)} calls, ${count(sums.denied)} denied, ${count(sums.asked)} asked, ${dollars(sums.cost)} spent` });
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
      series.map(([, column, what]) => `${text(part[column])} ${what}`)).join(', ');
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
  });
  return button;
}

// A sentence whose words in backticks are code.
function sentence(text) {
  const parts = text.split('`');
  return make('p', {}, ...parts.length % 2 ? parts.map((part, of) => of % 2 ? make('code', {}, part) : part) : [text]);
}

function story(one) {
  const rule = [one.policy, one.rule].filter(Boolean).join('/');
  const next = one.next.map((call) => make('li', {}, 'then ', make('b', {}, call.tool), ' ',
    make('code', {}, call.asked ?? ''), ' ', make('span', { className: call.outcome || 'allow' }, word(call.outcome || 'allow'))));
  if (!next.length) next.push(make('li', {}, 'No call of the session is recorded after it.'));
  const meta = make('p', { className: 'meta' }, `record ${one.position}`);
  if (one.session) meta.append(' · session ', choose('f-session', one.session, make('bdi', {}, one.session)));
  if (one.answered && one.answered !== one.outcome) meta.append(` · the client was answered ${one.answered}`);
  return make('li', { className: 'story' },
    make('time', { dateTime: date(one.at).toISOString() }, second(one.at)),
    make('div', {},
      make('p', { className: 'head' }, make('span', { className: `badge ${one.outcome}` }, word(one.outcome)),
        make('span', { className: 'name' }, one.tool || one.event),
        one.agent ? make('span', {}, 'by ', choose('f-agent', one.agent, make('bdi', {}, one.agent))) : '',
        rule ? make('code', {}, rule) : ''),
      make('code', { className: 'asked' }, one.asked ?? '(the record has no payload)'),
      sentence(one.reason || 'The record has no reason.'),
      make('ol', { className: 'next' }, ...next), meta));
}

// A column: its heading, its content for a row, and its class.
const number = (name, value) => [name, (row) => value(row) || '0', (row) => value(row) ? 'number' : 'number none'];
const label = (name, value) => [name, value, () => ''];
const named = (name) => label(name, (row) => make('code', {}, row.name));

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
      const fits = matches(row);
      found += fits;
      lines[of].hidden = !fits || left-- <= 0;
    });
    all.hidden = found <= FIRST_ROWS;
    all.textContent = isOpen ? `Show the first ${FIRST_ROWS}` : `Show all ${count(found)}`;
    none.hidden = found > 0;
  };
  all.addEventListener('click', () => { isOpen = !isOpen; show(); });
  const none = make('p', { className: 'empty', hidden: true }, 'None matches the filter.');
  const scroll = make('div', { className: 'scroll' }, make('table', {}, make('thead', {}, head), body));
  scroll.firstChild.setAttribute('aria-labelledby', id);
  const section = make('section', { className: isWhole ? 'whole' : '' }, make('h2', { id }, title));
  section.setAttribute('aria-labelledby', id);
  if (note) section.append(make('p', { className: 'note' }, note));
  if (rows.length) section.append(scroll, none, all);
  at('tables').append(section);
  show();
  return { scroll, filter: (choice) => { matches = choice; show(); } };
}

function grouped(rows, field) {
  const groups = new Map();
  for (const row of rows) {
    if (!groups.has(row[field])) groups.set(row[field], []);
    groups.get(row[field]).push(row);
  }
  return (name) => groups.get(name) || [];
}

// When a session or an agent acted, as lines in the time of the log, with denials and questions.
const RANGE = Math.max(data.last - data.first, 1);
const place = (ms) => (ms - data.first) / RANGE * 99;

function when(row, parts, stories) {
  const line = (kind, one, least, y, height) => draw('rect', { class: kind, x: place(one.first), y, width: Math.max(place(one.last) - place(one.first), least), height });
  const mark = (one) => draw('rect', { class: one.outcome === 'deny' ? 'denials' : 'questions', x: place(one.at), y: 0, width: 0.5, height: 10 });
  return draw('svg', { viewBox: '0 0 100 10', preserveAspectRatio: 'none', role: 'img', 'aria-label': `${moment(row.first)} to ${moment(row.last)} UTC` },
    draw('title', {}, `${moment(row.first)} to ${moment(row.last)} UTC`), draw('rect', { class: 'track', x: 0, y: 4, width: 100, height: 2 }),
    line('range', row, 0.8, 3, 4), ...parts.map((part) => line('calls', part, 0.8, 1, 8)), ...stories.slice(0, 200).map(mark));
}

function range() {
  const cell = document.createDocumentFragment();
  cell.append(make('div', {}, make('span', {}, moment(data.first)), make('span', {}, `${moment(data.last)} UTC`)));
  return cell;
}

function sums(rows, parts, stories) {
  return [
    shared('calls', rows, 'calls'), number('denied', (row) => row.denied ? count(row.denied) : ''),
    number('asked', (row) => row.asked ? count(row.asked) : ''), number('spent', (row) => row.cost ? dollars(row.cost) : ''),
    ['last', (row) => moment(row.last), () => 'number extra'],
    [range(), (row) => when(row, parts(row), stories(row.name)), () => 'when extra'],
  ];
}

const inAgent = grouped(data.sessions, 'agent');
const sessions = table('Sessions', data.sessions, [
  label('session', (row) => choose('f-session', row.name, make('code', {}, row.name))), ['agent', (row) => make('bdi', {}, row.agent), () => 'extra'],
  ...sums(data.sessions, (row) => [row], grouped(data.stories, 'session')),
], data.sessions.length ? 'The line shows when each was active, and its denials and questions.' : 'The log names no session.', true);
const agents = table('Agents', data.agents, [
  label('agent', (row) => choose('f-agent', row.name, make('code', {}, row.name))), ...sums(data.agents, (row) => inAgent(row.name), grouped(data.stories, 'agent')),
], data.agents.length ? 'The line shows its sessions, as far as they are in the table above, and its denials and questions.' : 'The log names no agent.', true);

function others() {
  const never = data.never_fired;
  const ms = (value) => value < 1000 ? `${count(Math.round(value))} ms` : `${(value / 1000).toLocaleString('en-US', { maximumFractionDigits: 1 })} s`;
  const some = (field) => (row) => row[field] ? count(row[field]) : '';
  table('Rules that decided', data.rules, [named('rule'), shared('decided', data.rules, 'count'), number('denied', some('denied')), number('asked', some('asked'))],
    data.rules.length ? '' : 'No rule decided anything.');
  table('Rules that never decided', (never || []).map((name) => ({ name })), [named('rule')],
    !never ? 'Not known: the report was made without --config.' : never.length ? '' : 'Every rule that is compared with the log decided something.');
  table('Tools', data.tools, [named('tool'), shared('calls', data.tools, 'count'), number('denied', some('denied')), number('failed', some('failed')),
    ['average', (row) => row.timed ? ms(row.total_ms / row.timed) : '–', () => 'number'], ['longest', (row) => row.timed ? ms(row.longest_ms) : '–', () => 'number']],
  data.tools.length ? '' : 'The log names no tool.');
  table('Models', data.models, [named('model'), shared('calls', data.models, 'count'), number('spent', (row) => row.cost ? dollars(row.cost) : '')],
    data.models.length ? '' : 'The log has no calls of models.');
  table('Files', data.files, [named('file'), shared('calls', data.files, 'count')],
    data.files.length ? 'Files that calls named and no rule denied.' : 'No call named a file.', true);
}

const texts = data.stories.map((one) => [one.asked, one.reason, one.tool, one.event, one.policy, one.rule, one.agent,
  one.session, one.position].filter(Boolean).join('\n').toLowerCase());
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
}

function filter() {
  const text = at('f-text').value.trim().toLowerCase(), agent = at('f-agent').value, session = at('f-session').value;
  const outcome = document.querySelector('[name=outcome]:checked').value;
  found = data.stories.filter((one, index) => (!agent || one.agent === agent) && (!session || one.session === session)
    && (!outcome || one.outcome === outcome) && (!text || texts[index].includes(text)));
  shown = 0;
  at('stories').replaceChildren();
  more();
  const all = data.stories.length;
  at('found').textContent = !all ? '' : found.length === all ? `all ${count(all)}, the latest first` : `${count(found.length)} of ${count(all)}`;
  if (!found.length) {
    at('stories').append(make('li', { className: 'empty' }, all ? 'None matches the filter.' : 'The log has no denials and no questions.'));
  }
  const inSessions = new Set(found.map((one) => one.session)), byAgents = new Set(found.map((one) => one.agent));
  if (session && !text && !outcome) data.sessions.filter((row) => row.name === session).forEach((row) => byAgents.add(row.agent));
  const isNamed = (name) => !outcome && name.toLowerCase().includes(text);
  sessions.filter((row) => (!session || row.name === session) && (!agent || row.agent === agent || inSessions.has(row.name))
    && (!text && !outcome || inSessions.has(row.name) || isNamed(row.name)));
  agents.filter((row) => (!agent || row.name === agent) && (!session && !text && !outcome || byAgents.has(row.name) || text && isNamed(row.name)));
}

function choices(id, rows, field) {
  const names = new Set([...rows.map((row) => row.name), ...data.stories.map((one) => one[field])].filter(Boolean));
  at(id).append(make('option', { value: '' }, 'All'), ...[...names].slice(0, 1000).map((name) => make('option', { value: name }, name)));
}

// A table that is wider than its place can be scrolled with the keys.
function scrolls() {
  for (const place of document.querySelectorAll('.scroll')) place.tabIndex = place.scrollWidth > place.clientWidth ? 0 : -1;
}

about();
others();
choices('f-agent', data.agents, 'agent');
choices('f-session', data.sessions, 'session');
at('filter').addEventListener('input', filter);
at('filter').addEventListener('submit', (event) => event.preventDefault());
at('filter').addEventListener('reset', () => setTimeout(filter));
at('more').addEventListener('click', more);
filter();
let width = 0;
new ResizeObserver(() => {
  if (at('times').clientWidth === width) return;
  width = at('times').clientWidth;
  times();
  scrolls();
}).observe(at('times'));
