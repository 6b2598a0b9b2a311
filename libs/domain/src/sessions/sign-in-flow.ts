/** The purpose of a flow on the hosted sign-in page. */
export type FlowPurpose = 'sign_in';

/** How long a flow on the hosted sign-in page can be continued, in seconds (sign-in contract, section 2). */
export const SIGN_IN_FLOW_TTL = 10 * 60;
