/** What answers about one customer look like; each member may be missing. */
interface Answer {
  id?: unknown;
  email?: unknown;
  customer?: { id?: unknown };
  data?: { request?: { body?: string } };
}

/**
 * The customer whom an answer tells about, so that it can be forgotten with them: it is the customer, holds the
 * customer, or is a delivery whose event does.
 */
export function answeredCustomerId(answer: unknown): string | null {
  if (typeof answer !== 'object' || answer === null) return null;
  const { id, email, customer, data } = answer as Answer;
  const sent = data?.request?.body;
  if (sent) return answeredCustomerId((JSON.parse(sent) as { data: unknown }).data);
  const found = customer ? customer.id : email === undefined ? null : id;
  return typeof found === 'string' ? found : null;
}
