'use strict';
/* Tables are sorted by a button in each heading, and of several tables one is chosen. Without this
   script all of them are shown as they are. */
function sortBy(table, column, falling) {
    const key = row => {
        const cell = row.cells[column], number = parseFloat(cell.textContent);
        return cell.className === 'n' && !isNaN(number) ? number : cell.textContent;
    };
    const rows = [...table.tBodies[0].rows].map(row => [key(row), row]);
    const order = (a, b) => typeof a === typeof b ? (a > b) - (a < b) : typeof a === 'number' ? -1 : 1;
    rows.sort((a, b) => falling ? order(b[0], a[0]) : order(a[0], b[0]));
    table.tBodies[0].append(...rows.map(([, row]) => row));
}
for (const table of document.querySelectorAll('table.sort')) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener('click', () => {
            const falling = head.ariaSort === 'ascending';
            heads.forEach(other => other.removeAttribute('aria-sort'));
            head.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
            sortBy(table, column, falling);
        });
    });
}
for (const group of document.querySelectorAll('[data-choose]')) {
    const label = document.createElement('label'), select = document.createElement('select');
    const parts = [...group.children];
    label.append(group.dataset.choose, select);
    parts.forEach(part => select.append(new Option(part.ariaLabel)));
    select.addEventListener('change', () => parts.forEach((part, i) => part.hidden = i !== select.selectedIndex));
    parts.forEach((part, i) => part.hidden = i > 0);
    group.prepend(label);
}
