/** The audit log actions for imports. */
export const importActions = ['import.started', 'import.weak_hashes_found'] as const;
