/** Class of the alarm witness, which a user's script exports beside her own classes. */
export const WITNESS_CLASS = "KitAlarmWitness";
