import { createClient, localStorageStorage } from '@gatehouse/js';

const settings = await (await fetch('/settings')).json();
const gatehouse = createClient({ ...settings, storage: localStorageStorage() });

const status = document.querySelector('[role=status]');
const output = document.querySelector('output');
const received = document.querySelector('ul');

/** Calls an API route with the customer's access token. */
const call = async (path, init) => (await gatehouse.fetch(path, init)).json();

const actions = {
  signUp: (fields) => gatehouse.signUp(fields),
  signIn: (fields) => gatehouse.signIn.password(fields),
  signOut: () => gatehouse.signOut(),
  deleteAccount: ({ password }) => gatehouse.customer.delete({ currentPassword: password }),
  listOrders: () => call('/orders'),
  pay: () => call('/pay', { method: 'POST' }),
};

async function run(action) {
  const fields = Object.fromEntries(new FormData(document.querySelector('form')));
  try {
    output.textContent = JSON.stringify(await actions[action](fields), null, 2) ?? 'done';
  } catch (error) {
    output.textContent = error.code ?? error.message;
  }
}

document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault();
  void run(event.submitter.value);
});
for (const button of document.querySelectorAll('p button'))
  button.addEventListener('click', () => void run(button.value));

gatehouse.onAuthStateChange(({ customer }) => {
  status.textContent = customer ? `Signed in as ${customer.email}` : 'Not signed in';
});

new EventSource('/received').addEventListener('message', ({ data }) => {
  const item = document.createElement('li');
  item.textContent = data;
  received.append(item);
});
