/* Asks the models that the page holds: `kpred.ask(MODEL, {field: value}, K, BEAM)` gives what
   `kpred predict --json` prints. */
const kpred = (() => {
    const models = [];
    const FIELDS = 24, TUPLE = 32, KEPT = 24;
    const AT = {values: FIELDS, n: FIELDS + TUPLE, extrapolated: FIELDS + TUPLE + 1, detail: FIELDS + TUPLE + 2};
    AT.kept = AT.detail + 3;
    AT.prefix = AT.kept + TUPLE;
    AT.tuples = AT.prefix + TUPLE * KEPT * TUPLE;
    const bytes = Uint8Array.from(atob(document.getElementById('wasm').textContent.trim()), c => c.charCodeAt(0));
    let wasm;
    const ready = WebAssembly.instantiate(bytes, {}).then(made => {
        wasm = made.instance.exports;
        for (let index = 0; index < about(0, -1).n; index++) {
            const {name, rule, n_fields, n_params} = about(index, -1);
            const some = (n, first) => Array.from({length: n}, (_, i) => about(index, first + i));
            models.push({name, rule, fields: some(n_fields, 0), params: some(n_params, n_fields), clauses: []});
        }
        for (let at = 0, next; (next = words(wasm.explore_clause_list() + 16 * at, 4))[3] >= 0; at++)
            models[next[3]].clauses.push({text: text(next[1]), params: next[2], at});
    });
    const io = () => new Int32Array(wasm.memory.buffer, wasm.explore_io());
    const text = at => {
        const memory = new Uint8Array(wasm.memory.buffer), end = at ? memory.indexOf(0, at) : 0;
        return new TextDecoder().decode(memory.subarray(at, end));
    };
    const words = (at, n) => Array.from(new Int32Array(wasm.memory.buffer, at, n));
    /* Of a model, for -1, or of one of its fields and parameters: what explore.c.txt says */
    const about = (index, at) => {
        const [name, names, values, n, least, most, from, to, rule, n_fields, n_params] =
            words(wasm.explore_about(index, at), 11);
        return {name: text(name), rule: text(rule), names: names && words(names, n).map(text),
            values: values && words(values, n), n, least, most, from, to, n_fields, n_params};
    };
    const shown = (model, values) => Object.fromEntries(model.params.slice(0, values.length).map(
        (p, i) => [p.name, p.names ? p.names[values[i]] : values[i]]));
    const set = (index, problem) => {
        const number = ({name, names}) => names ? names.indexOf(problem[name]) : Number(problem[name]);
        io().set(models[index].fields.map(number));
        return models[index];
    };
    const raw = (index, fields, beam, k) => {
        io().set(fields);
        const status = wasm.explore_ask(index, beam, k), out = io(), n = models[index].params.length;
        return {status, extrapolated: out[AT.extrapolated], detail: [...out.slice(AT.detail, AT.detail + 3)],
            tuples: Array.from({length: out[AT.n]}, (_, i) => {
                const at = AT.tuples + i * (TUPLE + 1);
                return {score: out[at], values: [...out.slice(at + 1, at + 1 + n)]};
            })};
    };
    const ask = (index, problem, k, beam) => {
        const model = set(index, problem);
        const found = raw(index, io().slice(0, model.fields.length), beam || k, k);
        found.tuples = found.tuples.map((tuple, i) => {
            io().set(tuple.values, AT.values);
            const kernel = wasm.explore_kernel(index);
            const row = {rank: i + 1, probability: wasm.explore_probability(tuple.score) / 16777216,
                ...shown(model, tuple.values)};
            const split = kernel && 'split' in row ? {splitK: row.split} : {};
            return {values: tuple.values, row: kernel ? {...row, ...split, kernel: text(kernel)} : row};
        });
        found.text = text(wasm.explore_status(found.status));
        return found;
    };
    /* What the search kept behind each parameter */
    const trace = (index, problem, beam) => {
        const model = set(index, problem);
        wasm.explore_trace(index, beam);
        const out = io();
        return model.params.map((param, t) => ({name: param.name, kept: out[AT.kept + t],
            prefixes: Array.from({length: Math.min(out[AT.kept + t], KEPT)}, (_, i) => {
                const at = AT.prefix + (t * KEPT + i) * TUPLE;
                return shown(model, [...out.slice(at, at + t + 1)]);
            })}));
    };
    /* Whether a tuple is legal: how many of its values the rule takes, and which conditions are false */
    const legal = (index, problem, values) => {
        const model = set(index, problem);
        io().set(values, AT.values);
        const taken = wasm.explore_legal(index);
        const broken = model.clauses.filter(c => !(taken < 0 && c.params) && !wasm.explore_clause(c.at));
        return {taken, legal: taken === model.params.length, broken: broken.map(c => c.text)};
    };
    return {models, ready, raw, ask, trace, legal};
})();

/* The form: a model, its fields, and below it what it answers. */
kpred.ready.then(() => {
    const form = document.getElementById('ask'), out = form.querySelector('output');
    const element = (tag, text, parts = []) => {
        const made = document.createElement(tag);
        made.textContent = text;
        made.append(...parts);
        return made;
    };
    const labelled = (name, control) => element('label', name, [Object.assign(control, {name})]);
    const choice = names => element('select', '', names.map(name => new Option(name)));
    const number = (least, most) => Object.assign(element('input', ''),
        {type: 'number', required: true, min: least, max: most});
    const controls = of => [...of.querySelectorAll('input, select')];
    const which = choice(kpred.models.map(model => model.name)), beam = Object.assign(number(1, 256), {value: 8});
    const fields = element('div', ''), tuple = element('div', ''), verdict = element('p', '');
    const model = () => kpred.models[which.selectedIndex];
    const problem = () => Object.fromEntries(controls(fields).map(control => [control.name, control.value]));
    /* Sizes around those of the training, and tokens by turns */
    const draw = (field, i, turn) => {
        if (field.names)
            return field.names[Math.floor(turn / (i % 3 + 1)) % field.names.length];
        const low = Math.log2(Math.max(1, field.from)), high = Math.log2(Math.max(1, field.to));
        const bits = Math.round(low + (high - low) * ((turn * (i + 3) * 0.618 + 0.5) % 1));
        return Math.min(field.to, Math.max(field.from, 2 ** bits));
    };
    const table = (caption, rows) => {
        const made = element('table', ''), wide = element('div', '', [made]);
        made.createCaption().textContent = caption;
        made.createTHead().insertRow().append(...Object.keys(rows[0]).map(name => element('th', name)));
        const body = made.createTBody();
        rows.forEach(row => body.insertRow().append(...Object.values(row).map(value => {
            const is_number = typeof value === 'number';
            const text = is_number && value % 1 ? (100 * value).toFixed(2) + ' %' : value;
            return Object.assign(element('td', text), {className: is_number ? 'n' : ''});
        })));
        return Object.assign(wide, {className: 'wide', tabIndex: 0, role: 'region', ariaLabel: caption});
    };
    /* Of a rule in C, with the names of fields and parameters; of the first value on, that of a direction has more. */
    const condition = (rule, n) => {
        const line = document.getElementById('rules').textContent.split('\n').map(text => text.split(' ')).find(
            ([name, number]) => number === String(n) && (name === rule || (n && rule.startsWith(name + '_'))));
        const plain = text => text.replace(
            /\b(?:p|problem)\[KPRED_CONV(?:2D)?_(\w+)\]|\bKPRI_\w+\(v, (\w+)\)/g, (_, a, b) => (a || b).toLowerCase());
        return `rule ${rule}${line ? `: ${plain(line.slice(2).join(' '))}` : ''}`;
    };
    const judge = () => {
        const of = model(), values = controls(tuple).map((select, i) => of.params[i].values[select.selectedIndex]);
        const said = kpred.legal(which.selectedIndex, problem(), values);
        verdict.className = said.legal ? '' : 'bad';
        const why = said.broken.length ? said.broken.join('; ') : condition(of.rule, said.taken + 1);
        verdict.textContent = said.legal ? 'This tuple is legal.' :
            said.taken < 0 ? `The kernel does not apply to this problem: ${why}` :
            `Not legal: the rule says no at ${of.params[said.taken].name}: ${why}`;
    };
    const answer = () => {
        if (!form.reportValidity())
            return;
        const index = which.selectedIndex, asked = problem(), width = Number(beam.value);
        const found = kpred.ask(index, asked, Math.min(width, 10), width);
        out.replaceChildren();
        if (found.status)
            out.append(Object.assign(element('p', `No tuple: ${found.text}.`), {className: 'bad'}));
        const outside = model().fields.filter((_, i) => found.extrapolated >> i & 1).map(field => field.name);
        if (outside.length)
            out.append(element('p', `Outside of the sizes that it learnt: ${outside.join(', ')}.`));
        if (found.tuples.length) {
            out.append(table('The first tuples', found.tuples.map(one => one.row)));
            controls(tuple).forEach((select, i) =>
                select.selectedIndex = model().params[i].values.indexOf(found.tuples[0].values[i]));
        }
        const steps = kpred.trace(index, asked, width).filter(step => step.kept);
        if (steps.length)
            out.append(table('What the search kept behind each parameter', steps.map(step => ({parameter: step.name,
                kept: step.kept, 'best first': step.prefixes.slice(0, 6).map(
                    prefix => Object.values(prefix).join(' ')).join(' | ')}))));
        judge();
    };
    /* Of a model, with a problem that its kernel takes */
    const show = () => {
        fields.replaceChildren(...model().fields.map(field => labelled(field.name,
            field.names ? choice(field.names) : number(field.least, field.most))));
        tuple.replaceChildren(...model().params.map(
            param => labelled(param.name, choice(param.names || param.values))));
        for (let turn = 0, found = false; turn < 4000 && !found; turn++) {
            controls(fields).forEach((control, i) => control.value = draw(model().fields[i], i, turn));
            found = kpred.ask(which.selectedIndex, problem(), 1).status === 0;
        }
        answer();
    };
    which.addEventListener('change', show);
    fields.addEventListener('change', answer);
    beam.addEventListener('change', answer);
    tuple.addEventListener('change', judge);
    form.addEventListener('submit', event => event.preventDefault());
    form.prepend(labelled('model', which), fields, labelled('beam', beam));
    form.append(element('h3', 'Is a tuple legal?'), tuple, verdict);
    show();
}).catch(error => document.querySelector('#ask output').textContent = `The models do not run here: ${error}`);
