/** Explains why production projects should set `requireVerifiedEmail`. */
export const verifiedEmailAdvice =
  'Recommended for production. Without it, a person can use an account with the email address of another person, and stays signed in after that person verifies the address.';
