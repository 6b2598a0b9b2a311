'use strict';

// VitePress stores the selected theme under this key.
const selected = localStorage.getItem('vitepress-theme-appearance') ?? 'auto';
const isDark = selected === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : selected === 'dark';
document.documentElement.classList.toggle('dark-mode', isDark);

const select = document.querySelector('#version');

/** Shows the reference for a version. */
async function show({ version, document: name }) {
  select.value = version;
  document.querySelector('#document').href = name;
  const spec = await (await fetch(name)).json();
  // The site does not serve the API, so supportedSubmitMethods prevents the viewer from sending requests.
  SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    filter: true,
    supportedSubmitMethods: [],
    validatorUrl: null,
  });
}

async function start() {
  const versions = await (await fetch('versions.json')).json();
  select.append(...versions.map(({ version }) => new Option(version, version)));
  const wanted = new URLSearchParams(location.search).get('version');
  await show(versions.find(({ version }) => version === wanted) ?? versions[0]);
  select.addEventListener('change', () => {
    // Adds the version to the URL, so that it can be shared.
    history.replaceState(null, '', `?version=${encodeURIComponent(select.value)}`);
    void show(versions.find(({ version }) => version === select.value));
  });
}

void start();
