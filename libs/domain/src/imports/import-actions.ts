/** The audit log actions on imports. */
export const importActions = ['import.started', 'import.weak_hashes_found'] as const;
