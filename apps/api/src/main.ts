// The kernel ignores SIGTERM for process 1 of a container until there is a handler, and the imports take most of the
// time of a start. So the handler comes first, and imports nothing. runProcess() replaces it.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));

await import('./run.js');

export {};
