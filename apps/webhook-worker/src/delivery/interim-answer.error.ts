/** The target answers with interim statuses (1xx) only, and so never. */
export class InterimAnswerError extends Error {
  readonly code = 'ERR_INTERIM_ANSWER';

  constructor() {
    super('interim responses without a final response');
  }
}
