/** The parameters of a redirect. */
export interface Redirect {
  code: string | undefined;
  error: string | undefined;
  state: string | undefined;
  /** The URL without these parameters. */
  cleanUrl: string;
}

/** Parses a redirect URL. Does not use the URL class, which is incomplete in React Native. */
export function readRedirect(url: string): Redirect {
  const [, base = '', query = '', hash = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? [];
  const values: Record<string, string> = {};
  const kept = query.split('&').filter((parameter) => {
    const [, name, value] = /^(code|error|state)=(.*)$/s.exec(parameter) ?? [];
    if (name) values[name] = decode(value!);
    return !name && parameter !== '';
  });
  return {
    code: values['code'],
    error: values['error'],
    state: values['state'],
    cleanUrl: base + (kept.length > 0 ? `?${kept.join('&')}` : '') + hash,
  };
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return value;
  }
}
